-- Goods of a shipped order come back: physical stock rises, and the ledger names the order. The order itself stays as it is.
alter table stock_movement drop constraint stock_movement_kind_check;
alter table stock_movement add constraint stock_movement_kind_check
  check (kind in ('set', 'adjustment', 'shipment', 'import', 'return')) not valid;

-- One row for each line of a return. `reconcile` compares it with the ledger and with what was shipped.
create table order_return (
  id          bigint generated always as identity primary key,
  order_id    bigint not null,
  line        smallint not null,
  quantity    int not null check (quantity >= 1),
  reason      text not null,
  actor       text not null,
  at          timestamptz not null default now(),
  constraint order_return_of_line foreign key (order_id, line) references order_item (order_id, line)
);
create index order_return_by_order on order_return (order_id, line);
create trigger written_once before update or delete or truncate on order_return
  for each statement execute function refuse_change();

-- What operators write down about an order. A note may name a person: it is erased with the order's personal data.
create table order_note (
  id        bigint generated always as identity primary key,
  order_id  bigint not null references orders,
  text      text not null,
  actor     text not null,
  at        timestamptz not null default now()
);
create index order_note_by_order on order_note (order_id, id);
