// Every job of the service. A new one is a file in this directory and a line here.
import { exchangeRates } from './exchange-rates.ts';
import type { Job } from './job.ts';

export const JOBS: readonly Job[] = [exchangeRates];
