// Preloaded into a service process: on SIGUSR2 `Date` is shifted by the milliseconds in the file SHIFTED_CLOCK, as if the
// system clock had been corrected. Monotonic time (`performance`, timers) is unaffected, as with a real correction.
import { readFileSync } from 'node:fs';

const RealDate = globalThis.Date;
let offsetMs = 0;

globalThis.Date = class Date extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + offsetMs);
    else super(...given);
  }
  static now() {
    return RealDate.now() + offsetMs;
  }
};

process.on('SIGUSR2', () => {
  const [offset, number] = readFileSync(process.env.SHIFTED_CLOCK, 'utf8').split(' ');
  offsetMs = Number(offset);
  console.log(`clock ${number}: ${new globalThis.Date().toISOString()}`);
});
