// The channels' product-information address (contract 4.5), which administrators pull from to register products.
import { createServer, type IncomingMessage } from 'node:http';
import { listen } from '../../verify/kit/ports.ts';
import type { Sku } from '../../verify/observer/world.ts';
import type { Channel } from './world.ts';

interface Option {
  opt_group: string;
  power: string;
  option_code: string;
  stock: number;
  hidden: boolean;
}

interface ProductInfo {
  found: boolean;
  goods_name?: string;
  is_monthly?: 0 | 1;
  options?: Option[];
  message?: string;
}

interface NewGoods {
  name: string;
  left: readonly string[];
  right: readonly string[];
}

/** Already in the shop but not yet registered with the service. */
const NEW_GOODS: Readonly<Record<string, NewGoods>> = {
  LUNA1M: {
    name: '루나 먼슬리 렌즈 좌우 세트 · Luna Monthly Set',
    left: ['-1.00', '-1.25', '-1.50', '-1.75', '-2.00'],
    right: ['-1.00', '-1.25', '-1.50', '-1.75', '-2.00'],
  },
  // The right side lacks a power, so the registration must stop with an option-configuration error.
  TWIN1M: {
    name: '트윈 먼슬리 렌즈 좌우 세트 · Twin Monthly Set',
    left: ['-1.00', '-1.50', '-2.00'],
    right: ['-1.00', '-1.50'],
  },
};
const NEW_STOCK = 12;

const GROUPS = { left: '좌', right: '우' };
const POWER = /^-?\d+\.\d\d$/;
const ONE_SIDE = /-[LR]$/;

/** SKUs of products that are not registered yet; customers order them too. */
export const newSkusOf = ({ skus }: Channel): string[] =>
  Object.entries(NEW_GOODS).flatMap(([code, { left }]) => left.map((power) => newSku(skus, code, power)));

const newSku = (skus: readonly Sku[], code: string, power: string): string =>
  `${skus[0]?.sku.split('-')[0] ?? 'SHOP'}-${code}-${power}`;

/** `shown`: the available quantity on the channel's pages. */
export function productInfoOf(
  { skus }: Channel,
  usercode: string,
  shown: (sku: string) => number,
): ProductInfo {
  const own = skus.filter(({ product_code, sku }) => product_code === usercode && !ONE_SIDE.test(sku));
  const [first] = own;
  if (first) return knownGoods(own, first.product_name, usercode, shown);
  const goods = NEW_GOODS[usercode];
  if (!goods) return { found: false, message: `no goods ${usercode}` };
  const options = (['left', 'right'] as const).flatMap((side) =>
    goods[side].map((power) => ({
      opt_group: GROUPS[side],
      power,
      option_code: newSku(skus, usercode, power),
      stock: NEW_STOCK,
      hidden: false,
    })),
  );
  return { found: true, goods_name: goods.name, is_monthly: 1, options };
}

function knownGoods(
  own: readonly Sku[],
  goods_name: string,
  usercode: string,
  shown: (sku: string) => number,
): ProductInfo {
  const options = own.map(({ sku, variant_code }) => ({
    opt_group: GROUPS.left,
    power: variant_code.slice(usercode.length + 1),
    option_code: sku,
    stock: shown(sku),
    hidden: false,
  }));
  const isSet = options.every(({ power }) => POWER.test(power)) && /\bset\b/i.test(goods_name);
  const right = options.map((option) => ({ ...option, opt_group: GROUPS.right }));
  return {
    found: true,
    goods_name,
    is_monthly: isSet ? 1 : 0,
    options: isSet ? [...options, ...right] : options,
  };
}

export interface ProductInfoServer {
  /** The `api_url` of a channel, by index. */
  urlOf: (channel: number) => string;
  close(): void;
}

export async function serveProductInfo(
  channels: readonly Channel[],
  shown: (channel: number, sku: string) => number,
): Promise<ProductInfoServer> {
  const server = createServer((request, response) => {
    const { status, body } = answerTo(channels, shown, request);
    response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' });
    response.end(JSON.stringify(body));
  });
  const port = await listen(server);
  return {
    urlOf: (channel) => `http://127.0.0.1:${port}/channels/${channel + 1}/goods`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function answerTo(
  channels: readonly Channel[],
  shown: (channel: number, sku: string) => number,
  request: IncomingMessage,
): { status: number; body: ProductInfo } {
  const url = new URL(request.url ?? '/', 'http://channel');
  const place = Number(/^\/channels\/(\d+)\/goods$/.exec(url.pathname)?.[1] ?? 0) - 1;
  const channel = channels[place];
  if (!channel) return { status: 404, body: { found: false, message: 'no such address' } };
  if (request.headers['x-api-key'] !== channel.api_key)
    return { status: 401, body: { found: false, message: 'the key is not that of this channel' } };
  const usercode = url.searchParams.get('usercode') ?? '';
  return { status: 200, body: productInfoOf(channel, usercode, (sku) => shown(place, sku)) };
}
