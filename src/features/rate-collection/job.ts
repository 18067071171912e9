// Collects exchange rates when the source is due.
import { collectRatesWhenDue } from './collection.ts';
import type { CoreJob } from '../../core/assembly/core.ts';

export const exchangeRates: CoreJob = {
  name: 'exchange-rates',
  every_s: 60,
  async run({ pool, sealer, config, log }, signal) {
    const allowPrivate = config.allow_private_channel_urls;
    const outcome = await collectRatesWhenDue({ pool, sealer, allowPrivate, signal });
    if (outcome === 'failed')
      log.warn('exchange rates could not be collected: see Exchange rates in the console');
  },
};
