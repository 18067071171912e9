// Fills an empty service with the drill's catalogue through the admin API.
import { Admin } from '../kit/admin.ts';
import { ADMIN_TOKEN } from '../kit/canaries.ts';
import { eventually } from '../kit/until.ts';
import { catalogueOf, type Channel, type Catalogue } from './catalogue.ts';

/**
 * API keys by channel index. They are not part of the catalogue, because the catalogue is written into the ledger file,
 * and files must not contain keys.
 */
export type Keys = readonly string[];

const JPY_RATE = '9.5';
const EXPIRING = 'Delta';
const CHANNELS = [
  { name: 'Alpha', country_code: 'KR' },
  { name: 'Beta', country_code: 'KR' },
  { name: 'Gamma', country_code: 'JP' },
  { name: EXPIRING, country_code: 'KR' },
];

/** The shortest expiry that the service accepts. */
const EXPIRY_MINUTES = 1;

/** Switches the expiry of unpaid orders on or off. Retries, because a connection may just have been broken. */
export async function setExpiry(origin: string, { channels }: Catalogue, isOn: boolean): Promise<void> {
  const admin = new Admin(origin, ADMIN_TOKEN);
  const prepayment_expiry_minutes = isOn ? EXPIRY_MINUTES : null;
  for (const { id } of channels.filter(({ expires }) => expires))
    await eventually(() => admin.send('PATCH', `/channels/${id}`, { prepayment_expiry_minutes }));
}

export async function setUpCatalogue(origin: string): Promise<{ catalogue: Catalogue; keys: Keys }> {
  const admin = new Admin(origin, ADMIN_TOKEN);
  await admin.send('POST', '/exchange-rates', { currency_code: 'JPY', rate: JPY_RATE });
  const keys: string[] = [];
  const channels: Channel[] = [];
  for (const wanted of CHANNELS) {
    const { id, api_key } = await admin.send<{ id: number; api_key: string }>('POST', '/channels', wanted);
    const rate = wanted.country_code === 'JP' ? JPY_RATE : '1';
    channels.push({ id, name: wanted.name, rate, expires: wanted.name === EXPIRING });
    keys.push(api_key);
  }
  const catalogue = catalogueOf(channels);
  for (const { product_code, product_name, variant_code, kind, quantity } of catalogue.items) {
    const product = { code: product_code, name: product_name, variants: [{ code: variant_code }] };
    await admin.send('POST', '/products', product);
    if (kind !== 'bare') await admin.send('PUT', `/stock/${variant_code}`, { quantity, reason: 'initial' });
  }
  for (const [place, { id }] of channels.entries()) {
    const mappings = catalogue.skus
      .filter(({ channel }) => channel === place)
      .map(({ sku, item }) => ({ sku, variant_code: item.variant_code }));
    await admin.send('PUT', `/channels/${id}/mappings`, { mappings });
  }
  for (const { channel, variant_code, ...granted } of catalogue.grants)
    await admin.send('PUT', `/channels/${channels[channel]?.id}/allocations/${variant_code}`, granted);
  return { catalogue, keys };
}
