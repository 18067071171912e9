// What a run knows about the service before the first customer: channels, their SKUs and, if there are no other clients,
// the initial stock.
import { keyHeader } from '../../src/core/rules/api-key.ts';
import { UsageError } from '../../verify/kit/command-line.ts';
import type { Admin } from '../../verify/kit/admin.ts';
import type { ListRow } from '../../verify/observer/shapes.ts';
import {
  grantKey,
  type Grant,
  type Channel as ObservedChannel,
  type Sku,
  type Stock,
  type World,
} from '../../verify/observer/world.ts';

export interface Channel extends ObservedChannel {
  /** null: unknown */
  id: number | null;
  api_key: string;
  currency_code: string;
  country_code: string;
}

/** What the observer knows, and what is needed to send requests. */
export interface KeyedWorld extends World {
  channels: Channel[];
}

/** Channel id → API key. */
export type Keys = ReadonlyMap<number, string>;

interface ChannelRow {
  id: number;
  name: string;
  country_code: string | null;
  currency_code: string;
}
type StockRow = Stock & { variant_code: string };
type GrantRow = Grant & { variant_code: string };
interface Rates {
  rates: { currency_code: string; rate: string }[];
}

/** A service without other clients, as an administrator sees it. Items without a stock row are not in `stock`. */
export async function ownWorld(admin: Admin, keys: Keys): Promise<KeyedWorld> {
  const known = (await admin.list<ChannelRow>('/channels')).filter(({ id }) => keys.has(id));
  const { rates } = await admin.get<Rates>('/exchange-rates/current');
  const grants = new Map<string, Grant>();
  const channels: Channel[] = [];
  for (const { id, name, country_code, currency_code } of known) {
    for (const grant of await admin.list<GrantRow>(`/channels/${id}/allocations`))
      grants.set(grantKey(channels.length, grant.variant_code), grant);
    channels.push({
      id,
      name,
      api_key: keys.get(id) ?? '',
      currency_code,
      country_code: country_code ?? 'KR',
      rate:
        currency_code === 'KRW'
          ? '1'
          : (rates.find((one) => one.currency_code === currency_code)?.rate ?? '0'),
      skus: await admin.list<Sku>(`/channels/${id}/mappings`),
    });
  }
  const stock = new Map((await admin.list<StockRow>('/stock')).map((row) => [row.variant_code, row]));
  return { channels, stock, grants };
}

/** The same world for a service with other clients and operators: their changes are not violations. */
export const shared = ({ channels }: KeyedWorld): KeyedWorld => ({
  channels: channels.map((channel) => ({ ...channel, rate: null })),
  stock: null,
  grants: new Map(),
});

/** A service of which only the address and some keys are known. */
export async function worldOf(baseUrl: string, apiKeys: readonly string[]): Promise<KeyedWorld> {
  const channels: Channel[] = [];
  for (const [place, api_key] of apiKeys.entries()) {
    const headers = { 'x-api-key': keyHeader(api_key) };
    const answer = await fetch(`${baseUrl}/inventory`, { headers });
    if (!answer.ok) throw new UsageError(`--keys: key ${place + 1} was answered ${answer.status}`);
    const { data } = (await answer.json()) as { data: ListRow[] };
    if (data.length === 0) throw new UsageError(`--keys: the channel of key ${place + 1} sells nothing`);
    channels.push({
      id: null,
      name: `channel ${place + 1}`,
      api_key,
      // No answer contains the currency. It only determines which amounts are sent.
      currency_code: 'KRW',
      country_code: 'KR',
      rate: null,
      skus: data.map(({ sku, product_code, product_name }) => ({
        sku,
        product_name,
        variant_code: product_code,
        product_code: null,
      })),
    });
  }
  return { channels, stock: null, grants: new Map() };
}
