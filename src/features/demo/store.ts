// Queries of the demo seed.
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

/** An arbitrary constant: two concurrent seeds would both insert the data. */
const SEED_LOCK = 7_358_264_003;
const LOCK = statement('seed_lock', `select pg_advisory_xact_lock(${SEED_LOCK})`);

export const lockSeed = (tx: Tx): Promise<number> => run(tx, LOCK);

const CHANNELS_BY_NAME = statement(
  'seed_channels_by_name',
  'select min(id) as id, name from channel where name = any($1::text[]) group by name',
);

export async function findChannelIds(tx: Tx, names: readonly string[]): Promise<Map<string, number>> {
  const found = await rows<{ id: number; name: string }>(tx, CHANNELS_BY_NAME, [names]);
  return new Map(found.map(({ id, name }) => [name, id]));
}

const OTHER_ORDERS = statement(
  'seed_other_orders',
  'select exists (select from orders where channel_id <> all($1::int[])) as found',
);

/** Whether another channel has orders: then the database is in real use and gets no demo data. */
export const hasOrdersOfOthers = async (tx: Tx, channelIds: readonly number[]): Promise<boolean> =>
  (await rows<{ found: boolean }>(tx, OTHER_ORDERS, [channelIds]))[0]?.found === true;
