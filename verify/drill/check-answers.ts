// What the service itself says when all is quiet: its stock lists and its own reconciliation.
import { Admin } from '../kit/admin.ts';
import { call } from '../kit/service.ts';
import type { CheckOptions } from './check.ts';
import type { Model } from '../kit/model.ts';
import { rowOf } from './check-stock.ts';
import type { World } from './world.ts';

export async function checkReconciled({ origin, admin_token }: CheckOptions): Promise<string[]> {
  const data = await new Admin(origin, admin_token).get<any>('/reconcile');
  return data.ok
    ? []
    : [`reconcile found ${data.drift_count} differences: ${JSON.stringify(data.drift.slice(0, 10))}`];
}

/** Contract 2.3.1 to 2.3.3 with 2.3.2b, on the numbers that follow from the ledger. */
export async function checkInventory(
  { origin, keys }: CheckOptions,
  model: Model,
  world: World,
): Promise<string[]> {
  const violations: string[] = [];
  for (const { id } of world.channels) {
    const { json, status, text } = await call(`${origin}/api/v1/inventory`, 'GET', undefined, {
      'x-api-key': keys[id] ?? '',
    });
    if (status !== 200) throw new Error(`GET /inventory was answered ${status}: ${text}`);
    const { data } = json;
    const shown = new Map<string, any>(data.map((row: any) => [row.sku, row]));
    for (const { sku, variant_code } of world.skus.filter(({ channel_id }) => channel_id === id)) {
      const wanted = rowOf(model, world, id, variant_code);
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
