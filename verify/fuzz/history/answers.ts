// Converts HTTP answers to the model's words.
import { orderWords } from '../../kit/model.ts';
import { EXPIRED, levelWords, listWords, sellableWords, type Request } from './requests.ts';

export interface HttpReply {
  status: number;
  // Untyped: an unexpected body becomes words that the model never produces.
  json: any;
}

/**
 * null: it cannot be determined whether the request took effect. Unexpected answers become words that the model never
 * produces.
 */
export function answerOf(request: Request, variant: number, code: string, reply: HttpReply): string | null {
  if (reply.status === 503) return null;
  return wordsOf(request, variant, code, reply) ?? `unexpected ${reply.status} ${JSON.stringify(reply.json)}`;
}

function wordsOf(
  request: Request,
  variant: number,
  code: string,
  { status, json }: HttpReply,
): string | null {
  switch (request.kind) {
    case 'intake':
      return intakeWords(variant, { status, json });
    case 'report':
      return reportWords(variant, { status, json });
    case 'expire':
      return EXPIRED;
    case 'lookup':
      return status === 200 ? sellableWords(json.available, json.reserve_remaining) : null;
    case 'list':
      return status === 200 ? rowWords(json.data, code) : null;
    case 'level':
    case 'set':
      return status === 200 ? levelWords(json.data, json.data.channels) : null;
    case 'adjust':
      if (status === 422) return 'below_zero';
      return status === 200 ? levelWords(json.data, json.data.channels) : null;
    case 'allocate':
      return status === 200 ? 'allocated' : null;
  }
}

function intakeWords(variant: number, { status, json }: HttpReply): string | null {
  if (status === 201) return `created ${viewWords(variant, json.data)}`;
  if (status === 200) return `resent ${viewWords(variant, json.data)}`;
  if (status === 500) return 'order_number_taken';
  const text = String(json?.error);
  const stock = /^Not enough stock for SKU (\S+?)(?: \(.*\))?: requested (\d+), available (\d+)\.$/.exec(
    text,
  );
  if (status === 422 && stock) return `stock_insufficient ${stock.slice(1).join(' ')}`;
  const quota =
    /^Backorder quota exceeded for SKU (\S+?)(?: \(.*\))?: requested (\d+), remaining (\d+)\.$/.exec(text);
  return status === 422 && quota ? `quota_insufficient ${quota.slice(1).join(' ')}` : null;
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
