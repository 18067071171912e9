-- The back office corrected the tracking number or the courier of a shipped order. One row for each correction: the
-- order feed reports it as a further step, and the order's history shows it. The tracking numbers themselves are
-- personal data, which is erased; they are not repeated here.
create table order_shipment_correction (
  order_id             bigint not null references orders,
  n                    int not null check (n >= 1),  -- counts the corrections of an order
  tracking_changed     boolean not null,
  courier_code_before  text,
  courier_code_after   text,
  actor                text not null,
  at                   timestamptz not null default clock_timestamp(),
  xid                  bigint default pg_current_xact_id()::text::bigint,  -- as in order_history
  primary key (order_id, n)
);
create index order_shipment_correction_by_xid on order_shipment_correction (xid);
create trigger written_once before update or delete or truncate on order_shipment_correction
  for each statement execute function refuse_change();

-- Other names of a code, such as those that a courier uses in its own files.
alter table common_code add column aliases text[] not null default '{}';
