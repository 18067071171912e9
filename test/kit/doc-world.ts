// The data that the pages of docs/channels name.
import type { Environment } from './doc-examples.ts';
import { must } from '../../verify/kit/fixtures.ts';
import type { TestService } from '../../verify/kit/service.ts';

interface Shop {
  id: number;
  api_key: string;
}

const PRODUCTS = [
  { code: 'DAY', name: 'Clear Day', variant: 'DAY--1.00' },
  { code: 'MUG', name: 'Blue mug', variant: 'MUG-L' },
  { code: 'POSTER', name: 'Poster', variant: 'POSTER-A2' },
  { code: 'TEA', name: 'Green tea', variant: 'TEA-100' },
];
const STOCK = { 'DAY--1.00': 40, 'MUG-L': 100, 'TEA-100': 3 };
const SHOP_SKUS = {
  'SHOP-DAY-100': 'DAY--1.00',
  'SHOP-MUG': 'MUG-L',
  'SHOP-MUG-GIFT': 'MUG-L',
  'SHOP-POSTER': 'POSTER-A2',
  'SHOP-TEA': 'TEA-100',
};
/** A number that the shop of the examples must not use. */
const TAKEN = {
  order_number: 'TYO-1',
  recipient_name: 'Sato Yui',
  recipient_phone: '03-1234-5678',
  shipping_address: '1-1 Marunouchi, Tokyo',
  items: [{ sku: 'TYO-MUG', quantity: 1, unit_price: 1990 }],
};

export function docsWorld(service: TestService) {
  const admin: TestService['admin'] = (...call) => service.admin(...call);

  async function shopIn(country_code: string, skus: Record<string, string>): Promise<Shop> {
    const shop = await must(admin('POST', '/channels', { name: `Shop ${country_code}`, country_code }), 201);
    const mappings = Object.entries(skus).map(([sku, variant_code]) => ({ sku, variant_code }));
    await must(admin('PUT', `/channels/${shop.id}/mappings`, { mappings }), 200);
    return shop as Shop;
  }

  async function countStock(): Promise<void> {
    for (const [code, quantity] of Object.entries(STOCK))
      await must(admin('PUT', `/stock/${code}`, { quantity, reason: 'as documented' }), 200, 201);
  }

  return {
    /** Makes it, and gives the variables that the examples read. */
    async make(): Promise<Environment> {
      for (const { code, name, variant } of PRODUCTS)
        await must(admin('POST', '/products', { code, name, variants: [{ code: variant }] }), 201);
      await countStock();
      await must(admin('POST', '/exchange-rates', { currency_code: 'JPY', rate: '9.1234' }), 201);
      const shop = await shopIn('KR', SHOP_SKUS);
      const quota = { allocated_qty: 0, reserve_quota: 10 };
      await must(admin('PUT', `/channels/${shop.id}/allocations/TEA-100`, quota), 200);
      const tokyo = await shopIn('JP', { 'TYO-MUG': 'MUG-L' });
      const boston = await shopIn('US', { 'BOS-MUG': 'MUG-L' });
      await must(service.channel(tokyo.api_key)('POST', '/orders', TAKEN), 201);
      return {
        SLUICE: `${service.origin}/api/v1`,
        SLUICE_KEY: shop.api_key,
        SLUICE_CHANNEL: String(shop.id),
        TOKYO_KEY: tokyo.api_key,
        BOSTON_KEY: boston.api_key,
      };
    },

    /** A shop with one request a minute. */
    async limits(): Promise<Environment> {
      const { id, api_key } = await shopIn('GB', { 'LIM-MUG': 'MUG-L' });
      const limit = { requests_per_minute: 1, burst: 1 };
      await must(admin('PUT', `/channels/${id}/rate-limit`, limit), 200);
      return { LIMITED_KEY: api_key };
    },

    /** The shop of the examples may sign. */
    async signing({ SLUICE_CHANNEL: id }: Environment): Promise<Environment> {
      const { secret } = await must(admin('POST', `/channels/${id}/signing-secrets`), 201);
      await must(admin('PUT', `/channels/${id}/signing`, { mode: 'accepted' }), 200);
      return { SLUICE_SIGNING_SECRET: secret as string };
    },

    /** The documented stock again: open orders are cancelled, shipped goods replaced. */
    async startOver(): Promise<void> {
      const orders = await must(admin('GET', '/orders?limit=500'), 200);
      for (const { id, status } of orders) {
        if (status !== 3 && status !== 88)
          await must(admin('POST', `/orders/${id}/status`, { status: 88 }), 200);
      }
      await countStock();
    },
  };
}
