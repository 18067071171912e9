// The database's clock: it dates what the service stores, and judges what expires.
import { rows, statement, type Tx } from './database.ts';

const NOW = statement('database_now', 'select now() as now');

export async function readNow(tx: Tx): Promise<Date> {
  const [row] = await rows<{ now: Date }>(tx, NOW);
  if (!row) throw new RangeError('no row');
  return row.now;
}
