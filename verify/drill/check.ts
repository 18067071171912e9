// The verdict from outside: what the ledger says was acknowledged, held against what the service and its database
// have. To be called when everything is settled and nothing is under way.
import { Account, type ToldOrder, type Totals } from './account.ts';
import { checkInventory, checkReconciled } from './check-answers.ts';
import { checkOrder } from './check-order.ts';
import { addDrawn, checkStock, type Drawn } from './check-stock.ts';
import { describe } from './answers.ts';
import { readLedger } from './ledger.ts';
import type { Keys } from './setup.ts';
import { Stored } from './stored.ts';

export interface CheckOptions {
  /** The driver's ledger. */
  file: string;
  database_url: string;
  /** A process of the service. */
  origin: string;
  admin_token: string;
  keys: Keys;
}

export interface Verdict {
  /** In words, with the lines of the ledger that prove them. None: everything is as it was told. */
  violations: string[];
  totals: Totals;
  /** Orders that are there. */
  orders: number;
}

export async function check(options: CheckOptions): Promise<Verdict> {
  const account = await readAccount(options.file);
  const { world } = account;
  if (!world) throw new Error(`${options.file} does not begin with a world`);
  const violations = [...account.violations];
  for (const { command, line } of account.unsettled()) {
    violations.push(`${describe(command)}, sent in line ${line}, was never settled`);
  }
  const { stored, close } = await Stored.open(options.database_url);
  let orders = 0;
  try {
    const drawn: Drawn = new Map();
    const missing = new Map([...account.orders].filter(([, order]) => order.taken !== null));
    for await (const found of stored.orders()) {
      orders += 1;
      const told = account.orders.get(found.order_number);
      missing.delete(found.order_number);
      violations.push(...checkOrder(found, told, world));
      addDrawn(drawn, found, world);
    }
    for (const [number, order] of missing) violations.push(lost(number, order));
    const stock = await checkStock(stored, account, world, drawn);
    violations.push(...stock.violations, ...(await checkInventory(options, stock.model, world)));
  } finally {
    await close();
  }
  violations.push(...(await checkReconciled(options)));
  return { violations, totals: account.totals, orders };
}

const lost = (number: string, { line, taken, reported }: ToldOrder): string =>
  `order ${number}, sent in line ${line} and acknowledged in line ${taken?.line}, is not there` +
  (reported.size > 0 ? ` (reports in lines ${[...reported.values()].join(', ')})` : '');

async function readAccount(file: string): Promise<Account> {
  const account = new Account();
  for await (const { line, fact } of readLedger(file)) account.add(line, fact);
  return account;
}
