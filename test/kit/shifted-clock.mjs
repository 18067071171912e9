// Preloaded into another process: its clock differs from the machine's by SHIFTED_CLOCK_MS, and from each SIGUSR2 on by the
// milliseconds in the file SHIFTED_CLOCK.
import { readFileSync } from 'node:fs';
import { setClock } from './shifted-date.ts';

const { SHIFTED_CLOCK, SHIFTED_CLOCK_MS = '0' } = process.env;
setClock(Number(SHIFTED_CLOCK_MS));

process.on('SIGUSR2', () => {
  const [offset, number] = readFileSync(SHIFTED_CLOCK, 'utf8').split(' ');
  setClock(Number(offset));
  console.log(`clock ${number}: ${new Date().toISOString()}`);
});
