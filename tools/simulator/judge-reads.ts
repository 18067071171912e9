// GET /inventory and GET /inventory/{sku}: the right SKUs, and never more than can be there.
import { said, type Answer, type Books, type Sent } from './books.ts';
import { errorFault, listFault, lookupFault, type ListRow, type Lookup } from './shapes.ts';
import { grantKey, type Sku } from './world.ts';

/** What was certainly taken of each variant when the request left. */
type Taken = ReadonlyMap<string, number>;

export function judgeLookup(books: Books, sent: Sent, sku: string): (answer: Answer | null) => void {
  const known = books.sku(sent.channel, sku);
  const taken = takenNow(books, known ? [known] : []);
  const broke = (words: string): void => books.broke(sent.channel, `the lookup of ${sku} ${words}.`);
  return (answer) => {
    if (answer === null) return;
    if (answer.status === 404) {
      const fault = errorFault(answer.json);
      if (fault !== null) broke(`was answered 404 in a wrong shape: ${fault}`);
      if (known && books.isAlone) broke('was answered 404, and the channel sells it');
      return books.happened(sent.channel, 'not_found', sku, answer);
    }
    if (answer.status !== 200) return broke(`was answered ${said(answer)}`);
    const fault = lookupFault(answer.json);
    if (fault !== null) return broke(`was answered in a wrong shape: ${fault}`);
    const row = answer.json as Lookup;
    if (row.sku !== sku) broke(`was answered with ${row.sku}`);
    if (!known && books.isAlone) broke('was answered 200, and the channel does not sell it');
    if (known) checkBounds(books, sent.channel, known, row, taken, broke);
    books.happened(sent.channel, 'looked_up', `${sku} ${row.available}`, answer);
  };
}

export function judgeList(books: Books, sent: Sent): (answer: Answer | null) => void {
  const { skus } = books.channel(sent.channel);
  const taken = takenNow(books, skus);
  const broke = (words: string): void => books.broke(sent.channel, `the stock list ${words}.`);
  return (answer) => {
    if (answer === null) return;
    if (answer.status === 304) {
      if (sent.if_none_match === null) broke('was answered 304 without having been asked with an ETag');
      return books.happened(sent.channel, 'unchanged', '', answer);
    }
    if (answer.status !== 200) return broke(`was answered ${said(answer)}`);
    const fault = listFault(answer.json);
    if (fault !== null) return broke(`was answered in a wrong shape: ${fault}`);
    const { data } = answer.json as { data: ListRow[] };
    checkList(books, sent.channel, data, taken, broke);
    books.happened(sent.channel, 'listed', `${data.length} SKUs`, answer);
  };
}

function checkList(
  books: Books,
  channel: number,
  rows: readonly ListRow[],
  taken: Taken,
  broke: (words: string) => void,
): void {
  if (!books.isAlone) return;
  const missing = new Set(books.channel(channel).skus.map(({ sku }) => sku));
  for (const row of rows) {
    const known = books.sku(channel, row.sku);
    missing.delete(row.sku);
    if (!known) broke(`has ${row.sku}, which the channel does not sell`);
    else if (row.product_code !== known.variant_code)
      broke(`says that ${row.sku} is ${row.product_code}, and it is ${known.variant_code}`);
    else
      checkBounds(books, channel, known, row, taken, (words) => broke(`says of ${row.sku} that it ${words}`));
  }
  for (const sku of missing) broke(`lacks ${sku}`);
}

const takenNow = (books: Books, skus: readonly Sku[]): Taken =>
  new Map(skus.map(({ variant_code }) => [variant_code, books.stock?.takenNow(variant_code) ?? 0]));

function checkBounds(
  books: Books,
  channel: number,
  { variant_code }: Sku,
  { available, reserve_remaining }: Lookup,
  taken: Taken,
  broke: (words: string) => void,
): void {
  if (!books.stock) return;
  const most = books.stock.availableMax(variant_code, taken.get(variant_code) ?? 0);
  if (available > most) broke(`shows ${available} available, and no more than ${most} can be`);
  const quota = books.world.grants.get(grantKey(channel, variant_code))?.reserve_quota ?? 0;
  if (reserve_remaining > quota)
    broke(`shows ${reserve_remaining} left to backorder, and the quota is ${quota}`);
}
