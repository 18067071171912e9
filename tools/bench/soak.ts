// soak_last_vs_first: hot intake for several minutes. Growing tables, journal and memory must not slow it down.
import { MAIN, say, type Bench } from './bench.ts';
import { analyzeOrders } from './catalogue.ts';
import { withClient } from './database.ts';
import { record } from './rounds.ts';
import { hotOrders } from './runs.ts';

const PROGRESS_MS = 30_000;
const WARMUP_S = 10;

/** null: the run was too short to be divided into fifths. */
export async function measureSoak(bench: Bench): Promise<number | null> {
  const { minutes } = bench.options;
  await record(bench, 'warming up', 'hot', { ...hotOrders(bench, bench.service), seconds: WARMUP_S });
  await withClient(bench.database.urlOf(MAIN), analyzeOrders);
  const started = Date.now();
  const progress = setInterval(() => {
    say(`soak: ${((Date.now() - started) / 60_000).toFixed(1)} of ${minutes} minutes`);
  }, PROGRESS_MS);
  try {
    const seconds = minutes * 60;
    const { timeline } = await record(bench, 'soak', 'hot', { ...hotOrders(bench, bench.service), seconds });
    return lastToFirst(timeline.slice(0, Math.floor(seconds)));
  } finally {
    clearInterval(progress);
  }
}

function lastToFirst(timeline: readonly number[]): number | null {
  const fifth = Math.floor(timeline.length / 5);
  if (fifth === 0) return null;
  const sum = (counts: readonly number[]) => counts.reduce((total, count) => total + count, 0);
  const fifths = [0, 1, 2, 3, 4].map((n) => sum(timeline.slice(n * fifth, (n + 1) * fifth)));
  say(`soak: orders per second by fifth: ${fifths.map((count) => Math.round(count / fifth)).join(', ')}`);
  return (fifths[4] ?? 0) / (fifths[0] ?? 1);
}
