// What orders wait for beside each import of many rows: an open loop of single orders for random SKUs of the catalogue.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { orderOf } from '../../verify/kit/fixtures.ts';
import { call } from '../../verify/kit/service.ts';

const QUIET_MS = 20_000;
const ORDER_EVERY_MS = 25;
const TARGET_RATIO = 5;

interface Setting {
  origin: string;
  channel: { id: number; api_key: string };
  client: pg.Client;
  env: Record<string, string>;
  rows: number;
}

/** Sends orders until told to stop. An order is sent at its time, whether earlier ones were answered or not. */
function sendOrders({ origin, channel }: Setting, skus: readonly string[]): () => Promise<number[]> {
  const waited: number[] = [];
  const refused: string[] = [];
  const sent: Promise<void>[] = [];
  let isOn = true;
  const loop = (async () => {
    for (let at = performance.now(); isOn; at += ORDER_EVERY_MS) {
      const sku = skus[Math.floor(Math.random() * skus.length)] ?? '';
      const order = orderOf([{ sku, quantity: 1, unit_price: 1 }]);
      const send = async (): Promise<void> => {
        const { status, text } = await call(`${origin}/api/v1/orders`, 'POST', order, {
          'x-api-key': channel.api_key,
        });
        waited.push(performance.now() - at);
        if (status !== 201) refused.push(`${status} ${text}`);
      };
      sent.push(send());
      await sleep(Math.max(0, at + ORDER_EVERY_MS - performance.now()));
    }
  })();
  return async () => {
    isOn = false;
    await loop;
    await Promise.all(sent);
    if (refused.length > 0)
      throw new Error(`${refused.length} orders were refused, the first: ${refused[0]}`);
    return waited.toSorted((a, b) => a - b);
  };
}

const p99 = (sorted: readonly number[]): number => sorted[Math.floor(sorted.length * 0.99)] ?? NaN;

function filesOf({ rows, channel }: Setting, codes: readonly string[]): [string, string][] {
  const csv = (header: string, row: (n: number, code: string) => string): string =>
    `${[header, ...Array.from({ length: rows }, (_, n) => row(n, codes[n % codes.length] ?? ''))].join('\n')}\n`;
  const rate = (n: number): string => new Date(Date.UTC(2020, 0, 1) + n * 60_000).toISOString();
  return [
    ['products', csv('product_code,product_name,variant_code', (n) => `NEW-${n},New ${n},NEW-${n}`)],
    ['mappings', csv('channel_id,sku,variant_code', (n, code) => `${channel.id},NEW ${n},${code}`)],
    ['stock', csv('variant_code,quantity', (n, code) => `${code},${2_000_000 + n}`)],
    [
      'allocations',
      csv(
        'channel_id,variant_code,allocated_qty,reserve_quota',
        (n, code) => `${channel.id},${code},${n % 50},${n % 7}`,
      ),
    ],
    ['rates', csv('currency_code,rate,effective_at', (n) => `JPY,9.1,${rate(n)}`)],
    ['codes', csv('group,code,name', (n) => `G,C-${n},Name ${n}`)],
    [
      'orders',
      csv(
        'channel_id,order_number,status,created_at,recipient_name,recipient_phone,shipping_address,sku,variant_code,quantity,local_unit_price',
        (n, code) =>
          `${channel.id},OLD-${n},${n % 2 ? 1 : 3},2026-01-01T00:00:00+09:00,Kim,010,Seoul,any,${code},1,5`,
      ),
    ],
  ];
}

/** Prints a line for each import; true if no order waited longer than five times the quiet p99. */
export async function measureImports(setting: Setting): Promise<boolean> {
  const { client, channel, env, rows } = setting;
  const found = await client.query<{ sku: string; code: string }>(
    'select m.sku, v.code from mapping m join variant v on v.id = m.variant_id where m.channel_id = $1',
    [channel.id],
  );
  const skus = found.rows.map(({ sku }) => sku);
  const files = filesOf(
    setting,
    found.rows.map(({ code }) => code),
  );
  const directory = await mkdtemp(join(tmpdir(), 'sluice-imports-'));
  let isMet = true;
  try {
    const warm = sendOrders(setting, skus);
    await sleep(QUIET_MS / 4);
    await warm();
    for (const [what, text] of files) {
      const stopQuiet = sendOrders(setting, skus);
      await sleep(QUIET_MS / 2);
      const quiet = await stopQuiet();
      const path = join(directory, `${what}.csv`);
      await writeFile(path, text);
      const stop = sendOrders(setting, skus);
      const started = performance.now();
      const child = spawn(process.execPath, ['src/start/cli.ts', 'import', what, path], {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'ignore', 'inherit'],
      });
      const [code] = (await once(child, 'exit')) as [number];
      const seconds = (performance.now() - started) / 1000;
      const beside = await stop();
      if (code !== 0) throw new Error(`import ${what} ended with ${code}`);
      const longest = beside.at(-1) ?? NaN;
      const ratio = longest / p99(quiet);
      if (!(ratio <= TARGET_RATIO)) isMet = false;
      console.log(
        `${what.padEnd(12)} ${rows} rows in ${seconds.toFixed(1)} s; orders: ${beside.length}, quiet p99 ${p99(quiet).toFixed(0)} ms, ` +
          `beside it p99 ${p99(beside).toFixed(0)} ms, longest ${longest.toFixed(0)} ms; longest / quiet p99 ${ratio.toFixed(1)}`,
      );
    }
  } finally {
    await rm(directory, { recursive: true });
  }
  console.log(
    isMet
      ? 'no order waited longer than 5 × the quiet p99'
      : 'MISSED: an order waited longer than 5 × the quiet p99',
  );
  return isMet;
}
