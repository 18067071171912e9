// GET /inventory and GET /inventory/{sku}: the right SKUs, and never more than can be available.
import type { Knowledge } from './knowledge.ts';
import { saidBy, type Judge } from './requests.ts';
import { errorFault, listFault, lookupFault, type ListRow, type Lookup } from './shapes.ts';
import { grantKey, type Sku } from './world.ts';

/** The quantity of each variant that was certainly taken when the request was sent. */
type Taken = ReadonlyMap<string, number>;

export function judgeLookup(knowledge: Knowledge, channel: number, sku: string): Judge {
  const known = knowledge.sku(channel, sku);
  const taken = takenNow(knowledge, known ? [known] : []);
  const addViolation = (words: string) => knowledge.addViolation(channel, `the lookup of ${sku} ${words}.`);
  return (answer) => {
    if (answer.status === 404) {
      const fault = errorFault(answer.json);
      if (fault !== null) addViolation(`was answered 404 in a wrong shape: ${fault}`);
      if (known && knowledge.isAlone) addViolation('was answered 404, although the channel sells it');
      return { kind: 'not_found', words: sku };
    }
    if (answer.status !== 200) return addViolation(`was answered ${saidBy(answer)}`);
    const fault = lookupFault(answer.json);
    if (fault !== null) return addViolation(`was answered in a wrong shape: ${fault}`);
    const row = answer.json as Lookup;
    if (row.sku !== sku) addViolation(`was answered with ${row.sku}`);
    if (!known && knowledge.isAlone) addViolation('was answered 200, although the channel does not sell it');
    if (known) checkBounds(knowledge, channel, { known, row, taken }, addViolation);
    return { kind: 'looked_up', words: `${sku} ${row.available}` };
  };
}

export function judgeList(knowledge: Knowledge, channel: number, etag: string | null): Judge {
  const taken = takenNow(knowledge, knowledge.channel(channel).skus);
  const addViolation = (words: string) => knowledge.addViolation(channel, `the stock list ${words}.`);
  return (answer) => {
    if (answer.status === 304) {
      if (etag === null) addViolation('was answered 304, although the request had no If-None-Match');
      return { kind: 'unchanged', words: '' };
    }
    if (answer.status !== 200) return addViolation(`was answered ${saidBy(answer)}`);
    const fault = listFault(answer.json);
    if (fault !== null) return addViolation(`was answered in a wrong shape: ${fault}`);
    const { data } = answer.json as { data: ListRow[] };
    checkList(knowledge, channel, data, taken, addViolation);
    return { kind: 'listed', words: `${data.length} SKUs` };
  };
}

function checkList(
  knowledge: Knowledge,
  channel: number,
  rows: readonly ListRow[],
  taken: Taken,
  addViolation: (words: string) => unknown,
): void {
  if (!knowledge.isAlone) return;
  const missing = new Set(knowledge.channel(channel).skus.map(({ sku }) => sku));
  for (const row of rows) {
    const known = knowledge.sku(channel, row.sku);
    missing.delete(row.sku);
    if (!known) addViolation(`has ${row.sku}, which the channel does not sell`);
    else if (row.product_code !== known.variant_code)
      addViolation(`shows ${row.sku} as ${row.product_code} instead of ${known.variant_code}`);
    else
      checkBounds(knowledge, channel, { known, row, taken }, (words) =>
        addViolation(`has ${row.sku}, which ${words}`),
      );
  }
  for (const sku of missing) addViolation(`lacks ${sku}`);
}

const takenNow = (knowledge: Knowledge, skus: readonly Sku[]): Taken =>
  new Map(skus.map(({ variant_code }) => [variant_code, knowledge.stock?.takenNow(variant_code) ?? 0]));

function checkBounds(
  knowledge: Knowledge,
  channel: number,
  { known, row, taken }: { known: Sku; row: Lookup; taken: Taken },
  addViolation: (words: string) => unknown,
): void {
  if (!knowledge.stock) return;
  const { variant_code } = known;
  const { available, reserve_remaining } = row;
  const most = knowledge.stock.availableMax(variant_code, taken.get(variant_code) ?? 0);
  if (available > most) addViolation(`shows ${available} available, but no more than ${most} can be`);
  const quota = knowledge.world.grants.get(grantKey(channel, variant_code))?.reserve_quota ?? 0;
  if (reserve_remaining > quota)
    addViolation(`shows ${reserve_remaining} left to backorder, and the quota is ${quota}`);
}
