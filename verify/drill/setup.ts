// Fills an empty service with what a drill sells, through the admin API as an operator would.
import { Admin } from '../kit/admin.ts';
import { makeGrants, makeItems, makeSkus, type Channel, type World } from './world.ts';

/** Channel id → API key. Beside the world, which goes into the ledger file: a key does not belong there. */
export type Keys = Record<number, string>;

const JPY_RATE = '9.5';
const CHANNELS = [
  { name: 'Alpha', country_code: 'KR', rate_hundredths: 100 },
  { name: 'Beta', country_code: 'KR', rate_hundredths: 100 },
  { name: 'Gamma', country_code: 'JP', rate_hundredths: 950 },
  { name: 'Delta', country_code: 'KR', rate_hundredths: 100 },
];

export async function setUpWorld(origin: string, admin_token: string): Promise<{ world: World; keys: Keys }> {
  const admin = new Admin(origin, admin_token);
  await admin.send('POST', '/exchange-rates', { currency_code: 'JPY', rate: JPY_RATE });
  const keys: Keys = {};
  const channels: Channel[] = [];
  for (const { rate_hundredths, ...wanted } of CHANNELS) {
    const { id, api_key } = await admin.send<{ id: number; api_key: string }>('POST', '/channels', wanted);
    channels.push({ id, name: wanted.name, rate_hundredths });
    keys[id] = api_key;
  }
  const items = makeItems();
  const world = { channels, items, skus: makeSkus(channels, items), grants: makeGrants(channels, items) };
  for (const { product_code, product_name, variant_code, kind, quantity } of items) {
    const product = { code: product_code, name: product_name, variants: [{ code: variant_code }] };
    await admin.send('POST', '/products', product);
    if (kind !== 'bare') await admin.send('PUT', `/stock/${variant_code}`, { quantity, reason: 'initial' });
  }
  for (const { id } of channels) {
    const mappings = world.skus
      .filter(({ channel_id }) => channel_id === id)
      .map(({ sku, variant_code }) => ({ sku, variant_code }));
    await admin.send('PUT', `/channels/${id}/mappings`, { mappings });
  }
  for (const { channel_id, variant_code, ...granted } of world.grants) {
    await admin.send('PUT', `/channels/${channel_id}/allocations/${variant_code}`, granted);
  }
  return { world, keys };
}
