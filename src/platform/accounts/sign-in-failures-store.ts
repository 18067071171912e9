// Failed sign-ins, stored in the database: shared by all processes, kept over restarts, cleared by the command line.
import { createHash } from 'node:crypto';
import {
  afterFailure,
  lockedSeconds,
  SIGN_IN_LIMITS,
  withoutLastFailure,
  type FailureCounter,
  type FailureLimit,
} from './sign-in-limits-rules.ts';
import { rows, run, statement, type Tx } from '../database/database.ts';

const HASH_CHARACTERS = 32;
const ROWS_MAX = 100_000;

/** A counter of failures. */
export interface Counter {
  readonly key: string;
  readonly account: string | null;
  readonly address_key: string | null;
  readonly limit: FailureLimit;
}

const hashed = (...parts: string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, HASH_CHARACTERS);

const accountHash = (email: string): string => hashed('account', email);

/**
 * For a sign-in from an unknown device: the account from this address, the account from all addresses, and the address
 * for all accounts.
 */
export function unknownDeviceCounters(email: string, address: string): Counter[] {
  const account = accountHash(email);
  const address_key = hashed('address', address);
  return [
    { key: hashed('pair', email, address), account, address_key, limit: SIGN_IN_LIMITS.account_and_place },
    { key: hashed('everywhere', email), account, address_key: null, limit: SIGN_IN_LIMITS.account },
    { key: address_key, account: null, address_key: null, limit: SIGN_IN_LIMITS.address },
  ];
}

/** E-mails without an account share one counter for the audit log, because each attempt may use a new one. */
export const unknownCounter = (address: string): Counter => ({
  key: hashed('unknown', address),
  account: null,
  address_key: null,
  limit: SIGN_IN_LIMITS.none,
});

/** For a sign-in from a known device or session of the account, independent of failures elsewhere. */
export const ownCounter = (email: string, place: string): Counter => ({
  key: hashed('own', email, place),
  account: accountHash(email),
  address_key: null,
  limit: SIGN_IN_LIMITS.account_and_place,
});

interface Row extends FailureCounter {
  key: string;
  now_ms: number;
}

const COLUMNS = `key, level, failures, extract(epoch from at)::float8 * 1000 as at_ms,
  coalesce(extract(epoch from locked_until)::float8 * 1000, 0) as locked_until_ms,
  extract(epoch from clock_timestamp())::float8 * 1000 as now_ms`;

const READ = statement('sign_in_failure_read', `select ${COLUMNS} from sign_in_failure where key = any($1)`);

/** Reads only: most requests of an attack end here. */
export const waitSeconds = async (tx: Tx, counters: readonly Counter[]): Promise<number> =>
  longest(await rows<Row>(tx, READ, [keysOf(counters)]));

const longest = (found: readonly Row[]): number =>
  Math.max(0, ...found.map((row) => lockedSeconds(row, row.now_ms)));

const keysOf = (counters: readonly Counter[]): string[] => counters.map(({ key }) => key).toSorted();

const ADD = statement(
  'sign_in_failure_add',
  `insert into sign_in_failure (key, account, address_key)
   select * from unnest($1::text[], $2::text[], $3::text[]) on conflict (key) do nothing`,
);
const LOCK = statement(
  'sign_in_failure_lock',
  `select ${COLUMNS} from sign_in_failure where key = any($1) order by key for update`,
);
const WRITE = statement(
  'sign_in_failure_write',
  `update sign_in_failure f
   set level = d.level, failures = d.failures, at = to_timestamp(d.at_ms / 1000),
       locked_until = case when d.locked_until_ms > 0 then to_timestamp(d.locked_until_ms / 1000) end
   from unnest($1::text[], $2::float8[], $3::int[], $4::float8[], $5::float8[])
     as d (key, level, failures, at_ms, locked_until_ms)
   where f.key = d.key`,
);

/**
 * Counts a failure against all counters, before the password is checked, so that concurrent guesses count too. If one
 * counter is locked, it counts against none. Must run in a transaction.
 */
export async function countFailure(
  tx: Tx,
  counters: readonly Counter[],
): Promise<{ wait_seconds: number } | { failures: number[] }> {
  const sorted = counters.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  await run(tx, ADD, [
    sorted.map(({ key }) => key),
    sorted.map(({ account }) => account),
    sorted.map(({ address_key }) => address_key),
  ]);
  const found = await rows<Row>(tx, LOCK, [keysOf(counters)]);
  const wait = longest(found);
  if (wait > 0) return { wait_seconds: wait };
  const counted = await change(tx, counters, found, (row, limit) => afterFailure(row, row.now_ms, limit));
  return { failures: counters.map(({ key }) => counted.get(key)?.failures ?? 1) };
}

/** Uncounts the failure. If `outcome` is `right`, the password was correct, and the first counter is reset. */
export async function uncountFailure(
  tx: Tx,
  counters: readonly Counter[],
  outcome: 'right' | 'nothing',
): Promise<void> {
  const found = await rows<Row>(tx, LOCK, [keysOf(counters)]);
  const own = outcome === 'right' ? counters[0]?.key : undefined;
  const clean = { level: 0, failures: 0, locked_until_ms: 0 };
  await change(tx, counters, found, (row, limit) =>
    row.key === own ? { ...row, ...clean } : withoutLastFailure(row, limit),
  );
}

async function change(
  tx: Tx,
  counters: readonly Counter[],
  found: readonly Row[],
  next: (row: Row, limit: FailureLimit) => FailureCounter,
): Promise<Map<string, FailureCounter>> {
  const limits = new Map(counters.map(({ key, limit }) => [key, limit]));
  const changed = found.map((row): FailureCounter & { key: string } => ({
    ...next(row, limits.get(row.key) ?? SIGN_IN_LIMITS.none),
    key: row.key,
  }));
  await run(tx, WRITE, [
    changed.map(({ key }) => key),
    changed.map(({ level }) => level),
    changed.map(({ failures }) => failures),
    changed.map(({ at_ms }) => at_ms),
    changed.map(({ locked_until_ms }) => locked_until_ms),
  ]);
  return new Map(changed.map((one) => [one.key, one]));
}

const UNLOCK = statement(
  'sign_in_failure_unlock',
  `delete from sign_in_failure
   where account = $1 or key = any(array(select address_key from sign_in_failure where account = $1))`,
);

/** Also unlocks the addresses from which sign-ins to the account failed, because its owner may use one of them. */
export const unlockSignIn = (tx: Tx, email: string): Promise<number> => run(tx, UNLOCK, [accountHash(email)]);

const TRIM = statement(
  'sign_in_failure_trim',
  `delete from sign_in_failure
   where at < greatest(
     now() - interval '1 day',
     (select at from sign_in_failure order by at desc offset ${ROWS_MAX} limit 1))`,
);

/** Counters expire after a day without a failure; above a number of rows the oldest are deleted earlier. */
export const trimSignInFailures = (tx: Tx): Promise<number> => run(tx, TRIM);
