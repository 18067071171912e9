// Puts the initial state in through the service's own API, as an administrator and as the channels; only the keys, which
// nobody may choose there, go in directly.
import { createFirstUser } from '../../src/backoffice/users.ts';
import { setPassword } from '../../src/store/accounts.ts';
import { insertChannel } from '../../src/store/channels.ts';
import { inTransaction } from '../../src/store/transactions.ts';
import { hashPassword } from '../../src/passwords.ts';
import type { Service } from '../../src/service.ts';
import { ORDERS, RATES, SITUATIONS, TEST_CHANNELS, type TestChannel, type TestOrder } from './seed-data.ts';

type Call = (method: 'POST' | 'PUT', path: string, body: object) => Promise<void>;

const callerOf =
  (base: string, headers: Record<string, string>): Call =>
  async (method, path, body) => {
    const json = { ...headers, 'content-type': 'application/json' };
    const request = { method, headers: json, body: JSON.stringify(body) };
    const answer = await fetch(base + path, request);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
  };

/** `service` listens at `origin` and accepts `token`. */
export async function seed(service: Service, origin: string, token: string, password: string): Promise<void> {
  const admin = callerOf(`${origin}/admin/v1`, { authorization: `Bearer ${token}` });
  await putAccount(service, password);
  await putCatalogue(admin);
  for (const channel of TEST_CHANNELS) {
    await putChannel(admin, await insertTestChannel(service, channel), channel);
    const call = callerOf(`${origin}/api/v1`, { 'x-api-key': channel.api_key });
    for (const order of ORDERS) await putOrder(call, channel, order);
  }
}

/** With a password that need not be changed: it is the same after every reset. */
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
  for (const rate of RATES) await admin('POST', '/exchange-rates', rate);
  for (const { courier_code } of TEST_CHANNELS) {
    const path = `/common-codes/DELIVERY_COMPANY/${encodeURIComponent(courier_code)}`;
    await admin('PUT', path, { name: courier_code });
  }
}

async function insertTestChannel({ services }: Service, channel: TestChannel): Promise<number> {
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
