// The limits of channels on their orders.
import { hasLimits, type ChannelLimits } from '../rules/channel-limits.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';
import { announceChannels } from './store.ts';

const LIMITS = 'line_quantity_max, unpaid_quantity_max, unpaid_percent_max, backordered_quantity_max';
const READ_LIMITS = statement(
  'channel_limits',
  `select id, ${LIMITS} from channel where id = any($1::int[])`,
);

/** By channel; only channels that have one. */
export async function readChannelLimits(tx: Tx, ids: readonly number[]): Promise<Map<number, ChannelLimits>> {
  const found = await rows<ChannelLimits & { id: number }>(tx, READ_LIMITS, [[...new Set(ids)]]);
  const listed = found.map(({ id, ...limits }): [number, ChannelLimits] => [id, limits]);
  return new Map(listed.filter(([, limits]) => hasLimits(limits)));
}

const SET_LIMITS = statement(
  'channel_set_limits',
  `update channel set line_quantity_max = $2, unpaid_quantity_max = $3, unpaid_percent_max = $4,
     backordered_quantity_max = $5 where id = $1`,
);

export async function updateLimits(tx: Tx, id: number, limits: ChannelLimits): Promise<void> {
  const { line_quantity_max, unpaid_quantity_max, unpaid_percent_max, backordered_quantity_max } = limits;
  await run(tx, SET_LIMITS, [
    id,
    line_quantity_max,
    unpaid_quantity_max,
    unpaid_percent_max,
    backordered_quantity_max,
  ]);
  await announceChannels(tx);
}
