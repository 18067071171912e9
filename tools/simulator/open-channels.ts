// Channels for a simulation on a service with an administrator token: existing channels with new keys, or new
// channels.
import type { Random } from '../../verify/kit/random.ts';
import { DEMO_CHANNELS } from '../../src/features/demo/data.ts';
import type { Admin } from '../../verify/kit/admin.ts';
import { UsageError } from '../../verify/kit/command-line.ts';
import type { Keys } from './world.ts';

interface ChannelRow {
  id: number;
  name: string;
  is_active: boolean;
}
interface StockRow {
  variant_code: string;
  common_available: number;
}

const COUNTRIES = ['KR', 'JP', 'US'];
const GRANTS = 5;
const ALLOCATED_MAX = 10;
const QUOTA = 20;

/** The channels of the demo data, with new keys, because the old keys are unknown. */
export async function adoptChannels(admin: Admin, count: number): Promise<Map<number, string>> {
  const names = new Set(DEMO_CHANNELS.map(({ fields }) => fields.name));
  const keys = new Map<number, string>();
  for (const { id, name, is_active } of await admin.list<ChannelRow>('/channels')) {
    if (!is_active || !names.has(name) || keys.size >= count) continue;
    const { api_key } = await admin.send<{ api_key: string }>('POST', `/channels/${id}/rotate-key`, {});
    keys.set(id, api_key);
  }
  return keys;
}

/** Each new channel sells everything that has stock under its own SKUs, and has pre-allocations of some of it. */
export async function openChannels(
  admin: Admin,
  count: number,
  random: Random,
): Promise<Map<number, string>> {
  const stock = await admin.list<StockRow>('/stock');
  if (count > 0 && !stock.some(({ common_available }) => common_available > 0))
    throw new UsageError(
      'There is nothing to sell: the service has no free stock. Add some, for example by "sluice seed".',
    );
  const keys = new Map<number, string>();
  for (let n = 1; n <= count; n += 1) {
    const country_code = COUNTRIES[(n - 1) % COUNTRIES.length] as string;
    const { id, api_key } = await admin.send<{ id: number; api_key: string }>('POST', '/channels', {
      name: `Simulated ${n} (${country_code})`,
      country_code,
    });
    keys.set(id, api_key);
    const mappings = stock.map(({ variant_code }) => ({ sku: `S${id}-${variant_code}`, variant_code }));
    await admin.send('PUT', `/channels/${id}/mappings`, { mappings });
    for (let grants = 0; grants < GRANTS && stock.length > 0; grants += 1) {
      const { variant_code, common_available } = random.pick(stock);
      const allocated_qty = Math.min(ALLOCATED_MAX, Math.floor(common_available / (4 * count)));
      await admin.send('PUT', `/channels/${id}/allocations/${encodeURIComponent(variant_code)}`, {
        allocated_qty,
        reserve_quota: QUOTA,
      });
    }
  }
  return keys;
}

export async function closeChannels(admin: Admin, keys: Keys): Promise<void> {
  for (const id of keys.keys()) await admin.send('PATCH', `/channels/${id}`, { is_active: false });
}
