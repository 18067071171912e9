// One simulated sales channel: customers who look, order, pay, cancel and resend; a warehouse that ships.
import { setTimeout as sleep } from 'node:timers/promises';

export interface Tally {
  taken: number;
  refused: number;
  shipped: number;
  cancelled: number;
  resent: number;
}

interface Shop {
  origin: string;
  api_key: string;
  prefix: string;
}

const PAUSE_MS_MAX = 800;
const OPEN_ORDERS_MAX = 200;

const pick = <T>(list: readonly T[]): T | undefined => list[Math.floor(Math.random() * list.length)];
const upTo = (n: number): number => 1 + Math.floor(Math.random() * n);

export async function runShop(shop: Shop, stopping: AbortSignal, tally: Tally): Promise<void> {
  const call = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${shop.origin}/api/v1${path}`, {
      method,
      headers: { 'x-api-key': shop.api_key, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return {
      status: answer.status,
      json: (await answer.json()) as { data: { sku: string; available: number }[] },
    };
  };
  const open: { order: object; number: string }[] = [];
  let sequence = 0;

  const placeOrder = async () => {
    const goods = (await call('GET', '/inventory')).json.data.filter((row) => row.available > 0);
    const items = Array.from({ length: upTo(3) }, () => pick(goods)).flatMap((row) =>
      row ? [{ sku: row.sku, quantity: upTo(3), unit_price: 1_000 * upTo(40) }] : [],
    );
    if (items.length === 0) return;
    const number = `${shop.prefix}-${++sequence}`;
    const order = {
      order_number: number,
      recipient_name: '김민지',
      recipient_phone: '010-0000-0000',
      shipping_address: '서울시 강남구 테헤란로 12',
      status: Math.random() < 0.3 ? 0 : 1,
      items,
    };
    const { status } = await call('POST', '/orders', order);
    if (status !== 201) {
      tally.refused += 1;
      return;
    }
    tally.taken += 1;
    open.push({ order, number });
  };

  const settleOrder = async () => {
    const [first] = open.splice(Math.floor(Math.random() * open.length), 1);
    if (!first) return;
    const isCancelled = Math.random() < 0.2;
    const report = isCancelled
      ? { status: 88, reason: 'changed mind' }
      : { status: 3, tracking_number: `T${Date.now()}`, courier_code: 'CJ' };
    const { status } = await call('POST', `/orders/${encodeURIComponent(first.number)}/status`, report);
    if (status === 200) tally[isCancelled ? 'cancelled' : 'shipped'] += 1;
  };

  const resend = async () => {
    const known = pick(open);
    if (known && (await call('POST', '/orders', known.order)).status === 200) tally.resent += 1;
  };

  while (!stopping.aborted) {
    const dice = Math.random();
    const act = dice < 0.55 && open.length < OPEN_ORDERS_MAX ? placeOrder : dice < 0.9 ? settleOrder : resend;
    // A refused connection while the service stops ends the loop at its next turn.
    await act().catch(() => {});
    await sleep(Math.random() * PAUSE_MS_MAX, undefined, { signal: stopping }).catch(() => {});
  }
}
