// Preloaded into a service process: at SIGUSR2 the time of day jumps to where the file in SHIFTED_CLOCK says, as a
// corrected system clock does. What counts time passed (`performance`, timers) goes on, as it does there.
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
