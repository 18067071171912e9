// What the service itself says when all is quiet: its stock lists and its own reconciliation.
import type { CheckOptions } from './check.ts';
import type { Expected } from './check-stock.ts';
import type { World } from './world.ts';

async function get(url: string, headers: Record<string, string>): Promise<any> {
  const answer = await fetch(url, { headers });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`GET ${url} was answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}

export async function checkReconciled({ origin, admin_token }: CheckOptions): Promise<string[]> {
  const { data } = await get(`${origin}/admin/v1/reconcile`, { authorization: `Bearer ${admin_token}` });
  return data.ok
    ? []
    : [`reconcile found ${data.drift_count} differences: ${JSON.stringify(data.drift.slice(0, 10))}`];
}

/** Contract 2.3.1 to 2.3.3 with 2.3.2b, on the numbers that follow from the ledger. */
export async function checkInventory(
  { origin, keys }: CheckOptions,
  expected: readonly Expected[],
  world: World,
): Promise<string[]> {
  const violations: string[] = [];
  for (const { id } of world.channels) {
    const { data } = await get(`${origin}/api/v1/inventory`, { 'x-api-key': keys[id] ?? '' });
    const shown = new Map<string, any>(data.map((row: any) => [row.sku, row]));
    for (const { sku, variant_code } of world.skus.filter(({ channel_id }) => channel_id === id)) {
      const wanted = sellable(
        expected.find((item) => item.variant_code === variant_code),
        id,
      );
      const { quantity, allocated, available, reserve_remaining } = shown.get(sku) ?? {};
      const here = { quantity, allocated, available, reserve_remaining };
      if (JSON.stringify(here) !== JSON.stringify(wanted))
        violations.push(
          `channel ${id} sees ${JSON.stringify(here)} of ${sku}, and ${JSON.stringify(wanted)} follows from the ledger`,
        );
    }
  }
  return violations;
}

function sellable(item: Expected | undefined, channelId: number) {
  const own = item?.channels.get(channelId);
  if (!item || !own) return { quantity: 0, allocated: 0, available: 0, reserve_remaining: 0 };
  const { quantity, unshipped, allocated, backordered } = item;
  const common = Math.max(0, quantity - unshipped - allocated - backordered);
  return {
    quantity,
    allocated,
    available: Math.min(common + own.allocated_qty, Math.max(0, quantity - unshipped)),
    reserve_remaining: Math.max(0, own.reserve_quota - own.backordered_qty),
  };
}
