// One sample answer of each kind from the service: the answers of the baselines must have the same size.
import { request } from 'node:http';
import { orderNumber, skuOf, soldOutVariant } from '../catalogue-names.ts';

export interface Samples {
  order: Buffer;
  refusal: Buffer;
  lookup: Buffer;
  list: Buffer;
}

export async function takeSamples(origin: string, key: string, variants: number): Promise<Samples> {
  const order = (number: string, variantId: number) => ({
    order_number: orderNumber(number, 0),
    recipient_name: '김민수',
    recipient_phone: '010-2345-6789',
    shipping_address: '서울특별시 강남구 테헤란로 152, 7층 (역삼동) 06236',
    items: [
      { sku: skuOf(1), quantity: 1, unit_price: 12_900 },
      { sku: skuOf(variantId), quantity: 1, unit_price: 45_000 },
    ],
  });
  const refused = order('sample-2', soldOutVariant(variants));
  const channel = { origin, key };
  return {
    order: await ask(channel, 201, { method: 'POST', path: '/orders', body: order('sample-1', 2) }),
    refusal: await ask(channel, 422, { method: 'POST', path: '/orders', body: refused }),
    lookup: await ask(channel, 200, { method: 'GET', path: `/inventory/${skuOf(1)}` }),
    list: await ask(channel, 200, { method: 'GET', path: '/inventory' }),
  };
}

function ask(
  { origin, key }: { origin: string; key: string },
  expected: number,
  { method, path, body }: { method: string; path: string; body?: object },
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${origin}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        if (answer.statusCode === expected) return resolve(Buffer.concat(chunks));
        reject(new Error(`${method} ${path}: ${answer.statusCode} instead of ${expected}`));
      });
    });
    outgoing.end(body && JSON.stringify(body));
  });
}
