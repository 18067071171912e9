// The set-up that most tests need, through the admin API only.
import assert from 'node:assert/strict';
import { PERSON } from './canaries.ts';
import type { ChannelCall, HttpAnswer, TestService } from './service.ts';

let sequence = 0;
export const unique = (prefix: string): string => `${prefix}-${process.pid}-${++sequence}`;

export interface TestChannel {
  id: number;
  api_key: string;
  call: ChannelCall;
}

export interface TestVariant {
  code: string;
  product: string;
}

export interface LineInput {
  sku: string;
  quantity: number;
  unit_price: number;
}

/** Fails the test unless the answer has one of these statuses; returns its `data`. */
export async function must(answer: Promise<HttpAnswer>, ...statuses: number[]): Promise<any> {
  const { status, text, json } = await answer;
  assert.ok(
    statuses.includes(status),
    `answered ${status}, wanted ${statuses.join(' or ')}: ${text.slice(0, 500)}`,
  );
  return json?.data;
}

export const orderOf = (items: LineInput[], fields: object = {}) => ({
  order_number: unique('ORD'),
  ...PERSON,
  items,
  ...fields,
});

export function fixtures(service: Pick<TestService, 'admin' | 'channel'>) {
  const make = {
    async channel(fields: object = {}): Promise<TestChannel> {
      const body = { name: unique('channel'), country_code: 'KR', ...fields };
      const created = await must(service.admin('POST', '/channels', body), 201);
      return { id: created.id, api_key: created.api_key, call: service.channel(created.api_key) };
    },
    /** `quantity` null: no stock row. */
    async variant(
      quantity: number | null,
      fields: { code?: string; name?: string } = {},
    ): Promise<TestVariant> {
      const product = unique('P');
      const code = fields.code ?? `${product}-V1`;
      const body = { code: product, name: fields.name ?? `Product ${product}`, variants: [{ code }] };
      await must(service.admin('POST', '/products', body), 201);
      const variant = { code, product };
      if (quantity !== null) await make.setStock(variant, quantity);
      return variant;
    },
    async map(channel: TestChannel, variant: TestVariant, sku = unique('S')): Promise<string> {
      const mappings = [{ sku, variant_code: variant.code }];
      await must(service.admin('PUT', `/channels/${channel.id}/mappings`, { mappings }), 200);
      return sku;
    },
    setStock: (variant: TestVariant, quantity: number) =>
      must(
        service.admin('PUT', `/stock/${encodeURIComponent(variant.code)}`, { quantity, reason: 'set-up' }),
        200,
        201,
      ),
    allocate: (channel: TestChannel, variant: TestVariant, allocated_qty: number, reserve_quota = 0) =>
      must(
        service.admin('PUT', `/channels/${channel.id}/allocations/${encodeURIComponent(variant.code)}`, {
          allocated_qty,
          reserve_quota,
        }),
        200,
      ),
    stock: (variant: TestVariant) =>
      must(service.admin('GET', `/stock/${encodeURIComponent(variant.code)}`), 200),
    /** A channel with one mapped item. */
    async setting(quantity: number | null = 100, channelFields: object = {}) {
      const channel = await make.channel(channelFields);
      const variant = await make.variant(quantity);
      const sku = await make.map(channel, variant);
      return { channel, variant, sku };
    },
    async available(channel: TestChannel, sku: string): Promise<number> {
      const answer = await channel.call('GET', `/inventory/${encodeURIComponent(sku)}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.json.available as number;
    },
  };
  return make;
}

/** Rows of the journal that name a change; the others only mark a transaction as committed. */
export const CHANGES = `(select * from change_journal where variant_ids <> '{}' or channel_ids <> '{}') as changes`;
