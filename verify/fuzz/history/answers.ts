// Converts HTTP answers to the model's words.
import { orderWords } from '../../kit/model.ts';
import type { HttpAnswer } from '../../kit/service.ts';
import { EXPIRED, levelWords, listWords, sellableWords, type SkuRequest } from './requests.ts';

/** An unexpected body becomes words that the model never produces. */
export type HttpReply = Pick<HttpAnswer, 'status' | 'json'>;

/** null: it cannot be determined whether the request took effect. */
export function answerOf(
  request: SkuRequest,
  variant: number,
  code: string,
  reply: HttpReply,
): string | null {
  if (reply.status === 503) return null;
  return wordsOf(request, variant, code, reply) ?? `unexpected ${reply.status} ${JSON.stringify(reply.json)}`;
}

function wordsOf(request: SkuRequest, variant: number, code: string, reply: HttpReply): string | null {
  const { status, json } = reply;
  if (request.kind === 'intake') return intakeWords(variant, reply);
  if (request.kind === 'report') return reportWords(variant, reply);
  if (request.kind === 'expire') return EXPIRED;
  if (request.kind === 'adjust' && status === 422) return 'below_zero';
  if (status !== 200) return null;
  switch (request.kind) {
    case 'lookup':
      return sellableWords(json.available, json.reserve_remaining);
    case 'list':
      return rowWords(json.data, code);
    case 'level':
    case 'set':
    case 'adjust':
      return levelWords(json.data, json.data.channels);
    case 'allocate':
      return 'allocated';
  }
}

function intakeWords(variant: number, { status, json }: HttpReply): string | null {
  if (status === 201) return `created ${viewWords(variant, json.data)}`;
  if (status === 200) return `resent ${viewWords(variant, json.data)}`;
  if (status === 500) return 'order_number_taken';
  return status === 422 ? refusalWords(json) : null;
}

const SHORTAGES: Record<string, string> = {
  'Not enough stock': 'stock_insufficient',
  'Backorder quota exceeded': 'quota_insufficient',
  'Limit of this channel exceeded': 'limit_exceeded',
};

/** A refusal of an order with 422: an unknown SKU, too little of something, or a number that the channel must not use. */
export function refusalWords(json: HttpReply['json']): string | null {
  const [, what = '', ...figures] =
    /^([\w ]+) for SKU (\S+?)(?: \(.*\))?: requested (\d+), (?:available|remaining) (\d+)(?: within the limit)?\.$/.exec(
      String(json?.error),
    ) ?? [];
  const shortage = SHORTAGES[what];
  if (shortage !== undefined) return `${shortage} ${figures.join(' ')}`;
  const [, sku, isUnmapped] =
    /^SKU (\S+) (?:(is not mapped to a product)|has no stock record yet)\.$/.exec(String(json?.error)) ?? [];
  if (sku !== undefined) return `${isUnmapped === undefined ? 'stock_missing' : 'sku_unmapped'} ${sku}`;
  const fault = String(json?.errors?.order_number?.[0]);
  if (fault.endsWith('belongs to another channel.')) return 'number_reserved';
  return fault.startsWith('order_number must start with ') ? 'number_without_prefix' : null;
}

function reportWords(variant: number, { status, json }: HttpReply): string | null {
  if (status === 200) return `reported ${viewWords(variant, json.data)}`;
  if (status === 404) return 'order_unknown';
  if (status !== 409) return null;
  if (json.code === 'invalid_transition')
    return `invalid_transition ${json.current_status} ${json.requested_status}`;
  const [, available, requested] = /available (\d+), requested (\d+)\.$/.exec(String(json.error)) ?? [];
  return `shipment_short ${json.current_status} ${requested} ${available}`;
}

interface View {
  status: number;
  total_amount: string;
  items: { quantity: number; unit_price: string }[];
}

const viewWords = (variant: number, view: View): string =>
  orderWords(
    view.status,
    view.total_amount,
    view.items.map(({ quantity, unit_price }) => ({ variant, quantity, unit: unit_price })),
  );

interface Row {
  product_code: string;
  quantity: number;
  allocated: number;
  available: number;
  reserve_remaining: number;
}

/** Both aliases must show the same numbers. */
function rowWords(rows: readonly Row[], code: string): string | null {
  const words = rows
    .filter((row) => row.product_code === code)
    .map((row) => listWords(row.quantity, row.allocated, row.available, row.reserve_remaining));
  return words.length === 2 && words[0] === words[1] ? (words[0] ?? null) : null;
}
