// Creates the initial state through the service's API, as an administrator and as the channels. Only the keys
// are written directly, because callers of the API cannot choose them.
import { createFirstUser } from '../../src/platform/accounts/changes.ts';
import { setPassword } from '../../src/platform/accounts/store.ts';
import { insertSigningSecret } from '../../src/core/channel-policy/store.ts';
import { insertChannel } from '../../src/core/channels/store.ts';
import { inTransaction } from '../../src/platform/database/transactions.ts';
import { hashPassword } from '../../src/platform/passwords/passwords.ts';
import type { Service } from '../../src/start/service.ts';
import {
  DOCS_PRODUCTS,
  DOCS_QUOTA,
  DOCS_SHOPS,
  DOCS_TAKEN_ORDER,
  ORDERS,
  RATES,
  SITUATIONS,
  TEST_CHANNELS,
  type DocsShop,
  type TestChannel,
  type TestOrder,
} from './seed-data.ts';

type Call = (method: 'POST' | 'PUT' | 'PATCH', path: string, body: object) => Promise<void>;

const callerOf =
  (base: string, headers: Record<string, string>): Call =>
  async (method, path, body) => {
    const json = { ...headers, 'content-type': 'application/json' };
    const request = { method, headers: json, body: JSON.stringify(body) };
    const answer = await fetch(base + path, request);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  };

/** `service` must listen at `origin` and accept `token`. */
export async function seed(service: Service, origin: string, token: string, password: string): Promise<void> {
  const admin = callerOf(`${origin}/admin/v1`, { authorization: `Bearer ${token}` });
  await putAccount(service, password);
  await putCatalogue(admin);
  for (const channel of TEST_CHANNELS) {
    await putChannel(admin, await insertTestChannel(service, channel), channel);
    const call = callerOf(`${origin}/api/v1`, { 'x-api-key': channel.api_key });
    for (const order of ORDERS) await putOrder(call, channel, order);
  }
  await putDocsShops(service, admin, origin);
}

/** The password is permanent, because it stays the same after every reset. */
async function putAccount({ services }: Service, password: string): Promise<void> {
  const hash = await hashPassword(password);
  await inTransaction(services.pool, async (tx) => {
    const account = await createFirstUser(tx, hash);
    if (account) await setPassword(tx, account.id, hash, { must_change: false });
  });
}

async function putCatalogue(admin: Call): Promise<void> {
  for (const { product_code, product_name, variant_code, power, quantity } of SITUATIONS) {
    const variants = [{ code: variant_code, power }];
    await admin('POST', '/products', { code: product_code, name: product_name, variants });
    if (quantity !== null) await admin('PUT', `/stock/${variant_code}`, { quantity, reason: 'sandbox' });
  }
  for (const { code, name, variant, power, quantity } of DOCS_PRODUCTS) {
    await admin('POST', '/products', { code, name, variants: [{ code: variant, power }] });
    if (quantity !== null) await admin('PUT', `/stock/${variant}`, { quantity, reason: 'as documented' });
  }
  for (const rate of RATES) await admin('POST', '/exchange-rates', rate);
  for (const { courier_code } of TEST_CHANNELS) {
    const path = `/common-codes/DELIVERY_COMPANY/${encodeURIComponent(courier_code)}`;
    await admin('PUT', path, { name: courier_code });
  }
}

async function putDocsShops(service: Service, admin: Call, origin: string): Promise<void> {
  for (const shop of DOCS_SHOPS) {
    const id = await insertTestChannel(service, shop);
    const mappings = Object.entries(shop.skus).map(([sku, variant_code]) => ({ sku, variant_code }));
    await admin('PUT', `/channels/${id}/mappings`, { mappings });
    const { variant, reserve_quota } = DOCS_QUOTA;
    if (shop.variable === 'SLUICE_KEY')
      await admin('PUT', `/channels/${id}/allocations/${variant}`, { allocated_qty: 0, reserve_quota });
    if (shop.variable === DOCS_TAKEN_ORDER.shop) await putTakenOrder(origin, shop);
    // Last, because afterwards the shop may be rate limited or must sign its requests.
    await putPolicy(service, admin, id, shop);
  }
}

async function putPolicy(
  { services }: Service,
  admin: Call,
  id: number,
  { signing, rate_limit, prepayment_expiry_minutes }: DocsShop,
): Promise<void> {
  if (rate_limit) await admin('PUT', `/channels/${id}/rate-limit`, rate_limit);
  if (prepayment_expiry_minutes !== undefined)
    await admin('PATCH', `/channels/${id}`, { prepayment_expiry_minutes });
  if (!signing) return;
  await inTransaction(services.pool, (tx) => insertSigningSecret(tx, services.sealer, id, signing.secret));
  await admin('PUT', `/channels/${id}/signing`, { mode: signing.mode });
}

async function putTakenOrder(origin: string, { api_key }: DocsShop): Promise<void> {
  const { number, sku, unit_price } = DOCS_TAKEN_ORDER;
  const call = callerOf(`${origin}/api/v1`, { 'x-api-key': api_key });
  await call('POST', '/orders', {
    order_number: number,
    recipient_name: 'Sato Yui',
    recipient_phone: '03-1234-5678',
    shipping_address: '1-1 Marunouchi, Tokyo',
    items: [{ sku, quantity: 1, unit_price }],
  });
  await call('POST', `/orders/${number}/status`, { status: 88 });
}

async function insertTestChannel(
  { services }: Service,
  channel: Pick<TestChannel, 'name' | 'api_key'> & { country_code: string },
): Promise<number> {
  const { name, country_code, api_key } = channel;
  const fields = { name, country_code, api_url: null, is_active: true };
  const made = await inTransaction(services.pool, (tx) =>
    insertChannel(tx, services.sealer, fields, api_key),
  );
  services.directory.invalidate();
  return made.channel.id;
}

async function putChannel(admin: Call, id: number, { country_code }: TestChannel): Promise<void> {
  const mappings = SITUATIONS.flatMap(({ skus, variant_code }) =>
    skus.map((sku) => ({ sku: `${country_code}-${sku}`, variant_code })),
  );
  await admin('PUT', `/channels/${id}/mappings`, { mappings });
  for (const { variant_code, allocated_qty, reserve_quota } of SITUATIONS) {
    if (allocated_qty + reserve_quota === 0) continue;
    await admin('PUT', `/channels/${id}/allocations/${variant_code}`, { allocated_qty, reserve_quota });
  }
}

async function putOrder(call: Call, channel: TestChannel, order: TestOrder): Promise<void> {
  const { country_code, courier_code, unit_price } = channel;
  const { number, sku, quantity, is_backorder, status } = order;
  const order_number = `${country_code}-${number}`;
  await call('POST', '/orders', {
    order_number,
    recipient_name: 'Test Recipient',
    recipient_phone: '000-0000-0000',
    shipping_address: '1 Sandbox Street',
    status: status === 0 ? 0 : 1,
    is_backorder,
    items: [{ sku: `${country_code}-${sku}`, quantity, unit_price }],
  });
  if (status === 0 || status === 1) return;
  await call('POST', `/orders/${order_number}/status`, {
    status,
    ...(status === 3 ? { tracking_number: `TEST-${country_code}-1`, courier_code } : {}),
    ...(status === 88 ? { reason: 'sandbox' } : {}),
  });
}
