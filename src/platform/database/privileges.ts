// Privileges of the service's database role if another role owns the schema: only those that its statements need.
// Ledgers allow only select and insert; no table may be truncated, altered or created.
import pg from 'pg';
import { rows, statement, type Tx } from './database.ts';
import { grantJobPrivileges } from './job-database.ts';

const LEDGER = 'select, insert';
/** `columns` leaves out id and time, which the database sets, so that rows cannot be backdated. */
const ledgerOf = (columns: string): string => `select, insert (${columns})`;
const KEPT = 'select, insert, update';
const KEPT_FOR_A_WHILE = 'select, insert, update, delete';

const TABLES: Readonly<Record<string, string>> = {
  account: KEPT,
  account_identity: 'select, insert, delete',
  used_sign_on: 'select, insert, delete',
  account_session: KEPT_FOR_A_WHILE,
  admin_token: KEPT,
  alert: KEPT_FOR_A_WHILE,
  alert_rule: KEPT,
  allocation: KEPT,
  allocation_movement: ledgerOf('channel_id, variant_id, delta, allocated_after, actor'),
  asked_in_vain: KEPT_FOR_A_WHILE,
  audit: ledgerOf('actor, action, subject, before, after, request_id'),
  change_journal: 'select, insert, delete',
  channel: KEPT,
  channel_request: KEPT_FOR_A_WHILE,
  common_code: KEPT_FOR_A_WHILE,
  exchange_rate: 'select, insert, delete',
  exchange_rate_quote: KEPT_FOR_A_WHILE,
  exchange_rate_run: 'select, insert, delete',
  exchange_rate_source: KEPT,
  journal_era: LEDGER,
  journal_trim: 'select, update',
  late_report: KEPT_FOR_A_WHILE,
  mapping: KEPT_FOR_A_WHILE,
  order_feed_token: KEPT,
  order_history: ledgerOf('order_id, from_status, to_status, source'),
  order_item: 'select, insert, update (cancelled_quantity)',
  order_note: `${ledgerOf('order_id, text, actor')}, update (text)`,
  order_search: KEPT,
  order_search_progress: 'select, update',
  order_return: ledgerOf('order_id, line, quantity, reason, actor'),
  // An accepted order changes status, and its personal data can be erased. Number, channel, amounts and time cannot
  // change.
  orders:
    'select, insert, update (status, tracking_number, courier_code, courier_name, cancel_reason, recipient_name, recipient_phone, shipping_address, erased_at)',
  order_shipment_correction: ledgerOf(
    'order_id, n, tracking_changed, courier_code_before, courier_code_after, actor',
  ),
  product: KEPT,
  product_version: 'select', // written by a trigger that the owner defined
  rate_bucket: KEPT,
  recovery_code: 'select, insert, delete',
  refusal_count: KEPT_FOR_A_WHILE,
  refused_order: KEPT_FOR_A_WHILE,
  schema_migration: 'select',
  second_factor: KEPT_FOR_A_WHILE,
  second_factor_role: 'select, insert, delete',
  sign_in_failure: KEPT_FOR_A_WHILE,
  signing_secret: KEPT_FOR_A_WHILE,
  stock: KEPT,
  stock_count: KEPT_FOR_A_WHILE,
  stock_import: KEPT_FOR_A_WHILE,
  stock_movement: ledgerOf('variant_id, delta, quantity_after, kind, order_id, actor, reason'),
  variant: KEPT,
  webhook: KEPT_FOR_A_WHILE,
  webhook_delivery: KEPT_FOR_A_WHILE,
  webhook_secret: KEPT_FOR_A_WHILE,
};
const SEQUENCES = ['channel_id_seq', 'order_id_seq', 'product_version_id_seq'];

/** In the format of the catalog query: `audit INSERT`, `orders.status UPDATE`, `order_id_seq USAGE`. */
function wantedPrivileges(): string[] {
  const ofTables = Object.entries(TABLES).flatMap(([table, privileges]) =>
    [...privileges.matchAll(/(\w+)(?: \(([^)]*)\))?/g)].flatMap(([, privilege = '', columns]) =>
      columns === undefined
        ? [`${table} ${privilege.toUpperCase()}`]
        : columns.split(', ').map((column) => `${table}.${column} ${privilege.toUpperCase()}`),
    ),
  );
  return [...ofTables, ...SEQUENCES.map((sequence) => `${sequence} USAGE`)].toSorted();
}

const GRANTED = statement(
  'privileges_held',
  `with mine as (
     select oid, relname, relacl from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'S')
   )
   select c.relname || ' ' || a.privilege_type as privilege
   from mine c cross join lateral aclexplode(c.relacl) a where a.grantee = $1::regrole
   union all
   select c.relname || '.' || t.attname || ' ' || a.privilege_type
   from mine c join pg_attribute t on t.attrelid = c.oid cross join lateral aclexplode(t.attacl) a
   where a.grantee = $1::regrole`,
);

const SCHEMA = statement(
  'privileges_schema',
  `select quote_ident(current_schema()) as name, has_schema_privilege($1, current_schema(), 'usage') as usable`,
);

/** Runs as the owner. Changes grants only if they differ, because a change invalidates all cached plans. */
export async function grantPrivileges(tx: Tx, role: string): Promise<void> {
  const name = pg.escapeIdentifier(role);
  const [schema] = await rows<{ name: string; usable: boolean }>(tx, SCHEMA, [role]);
  if (schema?.usable === false) await tx.query({ text: `grant usage on schema ${schema.name} to ${name}` });
  await grantJobPrivileges(tx, role);
  const granted = (await rows<{ privilege: string }>(tx, GRANTED, [name]))
    .map((row) => row.privilege)
    .toSorted();
  if (granted.join() === wantedPrivileges().join()) return;
  const tables = Object.keys(TABLES).join(', ');
  const sequences = SEQUENCES.join(', ');
  const statements = [
    `revoke all on ${tables} from ${name}`,
    `revoke all on sequence ${sequences} from ${name}`,
    ...Object.entries(TABLES).map(([table, privileges]) => `grant ${privileges} on ${table} to ${name}`),
    `grant usage on sequence ${sequences} to ${name}`,
  ];
  for (const text of statements) await tx.query({ text });
}

const WHERE = statement(
  'privileges_where',
  `select current_user as role, current_database() || ' since ' || pg_postmaster_start_time() as place`,
);

/** The current role and database; two connections to the same database have the same `place`. */
export async function connectionIdentity(tx: Tx): Promise<{ role: string; place: string }> {
  const [found] = await rows<{ role: string; place: string }>(tx, WHERE);
  if (!found) throw new RangeError('no row');
  return found;
}
