// Final checks: the counters in the databases of the service and the baselines must match orders and ledger. A
// run with wrong counters is invalid, however fast it was.
import { request } from 'node:http';
import { createPool } from '../../src/platform/database/connections.ts';
import { reconcileUnhurried } from '../../src/core/reconcile/store.ts';
import { COPY, say, type Bench } from './bench.ts';
import type { ServiceProcess } from '../../verify/kit/process.ts';

export async function checkCounters(bench: Bench): Promise<void> {
  say('reconciling');
  await checkService(bench, bench.service, 'the service');
  if (bench.options.soak) return;
  const pool = createPool(bench.database.urlOf(COPY), 1);
  try {
    const { ok, drift_count } = await reconcileUnhurried(pool);
    if (!ok) bench.faults.push(`the baselines do not reconcile: ${drift_count} differences`);
  } finally {
    await pool.end();
  }
}

export async function checkService(bench: Bench, service: ServiceProcess, name: string): Promise<void> {
  const answer = await getReconcile(service.origin, bench.admin_token);
  const { data } = JSON.parse(answer) as { data?: { ok: boolean; drift_count: number } };
  if (data?.ok !== true) bench.faults.push(`${name} does not reconcile: ${answer.slice(0, 500)}`);
}

/** Not fetch(): its timeout is five minutes, and reconciling millions of orders may take longer. */
const getReconcile = (origin: string, token: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const asked = request(`${origin}/admin/v1/reconcile`, { headers: { authorization: `Bearer ${token}` } });
    asked.on('error', reject);
    asked.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (chunk: string) => (text += chunk));
      answer.on('error', reject);
      answer.on('end', () => resolve(text));
    });
    asked.end();
  });
