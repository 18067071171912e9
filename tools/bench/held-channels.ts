// Two more channels with the hot SKUs only: one that must sign its requests, one with a rate limit that it never reaches.
import { createSealer } from '../../src/platform/secrets/keys.ts';
import { RATE_LIMIT_MAX } from '../../src/core/rules/rate-limit.ts';
import {
  insertSigningSecret,
  updateRateLimit,
  updateSigningMode,
} from '../../src/core/channel-policy/store.ts';
import { MAIN, VARIANTS, type Bench } from './bench.ts';
import { chooseVariants, skuOf } from './catalogue-names.ts';
import { addChannel, type BenchChannel } from './catalogue.ts';
import { withClient } from './database.ts';
import type { RunName } from './targets.ts';

export interface HeldChannels {
  signing: BenchChannel & { secret: string };
  limited: BenchChannel;
}

/** Returns null if none of the requested runs uses these channels. */
export async function addHeldChannels(
  bench: Bench,
  wanted: ReadonlySet<RunName>,
): Promise<HeldChannels | null> {
  if (!wanted.has('hot_signed') && !wanted.has('hot_limited')) return null;
  return withClient(bench.database.urlOf(MAIN), async (client) => {
    const add = async (name: string): Promise<BenchChannel> => {
      const channel = await addChannel(client, bench.secret, name);
      for (const variant of chooseVariants('hot', VARIANTS))
        await client.query('insert into mapping (channel_id, sku, variant_id) values ($1, $2, $3)', [
          channel.id,
          skuOf(variant),
          variant,
        ]);
      return channel;
    };
    const signing = await add('bench, signing');
    const { secret } = await insertSigningSecret(client, createSealer(bench.secret), signing.id);
    await updateSigningMode(client, signing.id, 'required');
    const limited = await add('bench, limited');
    await updateRateLimit(client, limited.id, { requests_per_minute: RATE_LIMIT_MAX, burst: RATE_LIMIT_MAX });
    return { signing: { ...signing, secret }, limited };
  });
}
