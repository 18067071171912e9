// service_rss_ten_channels_mb: peak memory of a separate service while ten channels with 100,000 SKUs each are
// polled in turn, with changes in between.
import { MAIN, say, VARIANTS, type Bench } from './bench.ts';
import { addChannel, mapAll } from './catalogue.ts';
import { peakMegabytesOf } from './cpu.ts';
import { withClient } from './database.ts';
import { record } from './rounds.ts';
import { jobOf } from './runs.ts';

const CHANNELS = 10;
const POLLS_PER_CHANNEL = 4;
const SECONDS = 5;

export async function measureTenChannels(bench: Bench): Promise<number | null> {
  say(`adding channels: ${CHANNELS} with ${VARIANTS.toLocaleString('en')} SKUs each`);
  const keys = [bench.channel.key];
  await withClient(bench.database.urlOf(MAIN), async (client) => {
    for (let n = 2; n <= CHANNELS; n++) {
      bench.signal.throwIfAborted();
      const channel = await addChannel(client, bench.secret, `bench ${n}`);
      await mapAll(client, channel.id, VARIANTS);
      keys.push(channel.key);
    }
    await client.query('vacuum analyze mapping');
  });
  const service = await bench.startService(MAIN);
  const request = { kind: 'get', paths: ['/api/v1/inventory'], headers: {} } as const;
  const job = jobOf({ bench }, service, request, {
    keys,
    load: { kind: 'closed', connections: 2 },
    change: { database_url: bench.database.urlOf(MAIN), variants: VARIANTS },
    seconds: SECONDS,
    answers_min: CHANNELS * POLLS_PER_CHANNEL,
    body_bytes_min: VARIANTS * 100,
  });
  await record(bench, 'ten channels', 'list', job);
  const megabytes = peakMegabytesOf(service.pid);
  await service.stop();
  return megabytes;
}
