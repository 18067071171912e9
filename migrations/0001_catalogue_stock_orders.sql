-- Names are the specification's. Codes and SKUs compare and sort by code point on every server ("C").
-- Nothing here is ever deleted by the service except mappings, common codes and trimmed journal rows.

create table channel (
  id            int generated always as identity primary key,
  name          text not null,
  country_code  text check (country_code ~ '^[A-Z]{2}$'),
  currency_code text not null check (currency_code ~ '^[A-Z]{3}$'),   -- what the country implies, written with it
  api_url       text,
  is_active     boolean not null default true,
  key_hash      bytea not null unique,   -- SHA-256 of the API key: how a request finds its channel
  key_sealed    bytea not null,          -- AES-256-GCM, only because the outbound call must send the key
  created_at    timestamptz not null default now()
);

create table product (
  id          int generated always as identity primary key,
  code        text collate "C" not null unique,
  name        text not null,
  created_at  timestamptz not null default now()
);

create table variant (
  id          int generated always as identity primary key,
  product_id  int not null references product,
  code        text collate "C" not null unique,
  power       text,
  created_at  timestamptz not null default now()
);
create index variant_by_product on variant (product_id);

create table mapping (
  channel_id  int not null references channel,
  sku         text collate "C" not null,   -- channel_variant_code
  variant_id  int not null references variant,
  primary key (channel_id, sku)
);
create index mapping_by_variant on mapping (variant_id);

-- The hot row. Narrow, half-empty pages and no index on a counter, so that every update is HOT.
create table stock (
  variant_id   int primary key references variant,
  quantity     int    not null default 0 check (quantity >= 0),      -- physical stock
  unshipped    bigint not null default 0 check (unshipped >= 0),     -- of open normal orders
  allocated    bigint not null default 0 check (allocated >= 0),     -- sum of allocation.allocated_qty
  backordered  bigint not null default 0 check (backordered >= 0)    -- sum of allocation.backordered_qty
) with (fillfactor = 50);

create table allocation (
  variant_id       int not null references stock,
  channel_id       int not null references channel,
  allocated_qty    bigint not null default 0 check (allocated_qty >= 0),    -- live remainder
  reserve_quota    int    not null default 0 check (reserve_quota >= 0),
  backordered_qty  bigint not null default 0 check (backordered_qty >= 0),  -- open backorders
  primary key (variant_id, channel_id)
) with (fillfactor = 70);
create index allocation_by_channel on allocation (channel_id, variant_id);

create sequence order_id_seq as bigint;

-- orders, order_item, order_history and stock_movement carry no foreign keys: the gate is their only writer,
-- it takes every id from rows it has just read or locked, channels and variants are never deleted, and a key
-- check per line would cost more than the insert itself. `reconcile` reports a dangling reference.
create table orders (
  id                   bigint primary key,
  channel_id           int not null,
  order_number         text collate "C" not null,
  status               smallint not null check (status in (0, 1, 2, 9, 3, 88)),
  is_backorder         boolean not null,
  recipient_name       text not null,
  recipient_phone      text not null,
  shipping_address     text not null,
  tracking_number      text,
  courier_code         text,
  courier_name         text,
  cancel_reason        text,
  local_currency_code  text not null,
  local_total_amount   numeric not null,
  total_amount         numeric(42, 2) not null,
  exchange_rate        numeric not null,
  created_at           timestamptz not null default now(),
  constraint orders_order_number_key unique (order_number)   -- across all channels
) with (fillfactor = 90);
create index orders_by_channel on orders (channel_id, id);

create table order_item (
  order_id            bigint not null,
  line                smallint not null,
  variant_id          int not null,
  sku                 text collate "C" not null,
  quantity            int not null check (quantity >= 1),
  cancelled_quantity  int not null default 0 check (cancelled_quantity between 0 and quantity),
  from_allocation     int not null check (from_allocation between 0 and quantity),
  local_unit_price    numeric not null check (local_unit_price >= 0),
  unit_price          numeric(42, 2) not null,
  primary key (order_id, line)
) with (fillfactor = 90);

-- The transition table has no cycle, so an order enters each state at most once. The key says so: a second
-- shipment of the same order cannot be written, whatever the code does.
create table order_history (
  order_id     bigint not null,
  from_status  smallint,             -- null: the intake
  to_status    smallint not null,
  source       text not null,        -- channel, back_office
  at           timestamptz not null default now(),
  primary key (order_id, to_status)
);

-- The ledger of physical stock: the sum of its deltas is stock.quantity.
create table stock_movement (
  id              bigint generated always as identity primary key,
  variant_id      int not null,
  delta           int not null,
  quantity_after  int not null check (quantity_after >= 0),
  kind            text not null check (kind in ('set', 'adjustment', 'shipment', 'import')),
  order_id        bigint,
  actor           text not null,
  reason          text,
  at              timestamptz not null default now()
);
create index stock_movement_by_variant on stock_movement (variant_id, id);

-- What administrators granted or took back. allocated_qty = sum of these − what open and shipped orders drew.
create table allocation_movement (
  id               bigint generated always as identity primary key,
  channel_id       int not null references channel,
  variant_id       int not null references variant,
  delta            bigint not null,
  allocated_after  bigint not null,
  actor            text not null,
  at               timestamptz not null default now()
);
create index allocation_movement_by_item on allocation_movement (variant_id, channel_id);

create table exchange_rate (
  id             bigint generated always as identity primary key,
  currency_code  text not null check (currency_code ~ '^[A-Z]{3}$'),
  rate           numeric not null check (rate > 0),   -- KRW for one unit
  effective_at   timestamptz not null default now(),
  created_at     timestamptz not null default now()
);
create index exchange_rate_latest on exchange_rate (currency_code, effective_at desc, id desc);

create table common_code (
  code_group  text collate "C" not null,
  code        text collate "C" not null,
  name        text not null,
  primary key (code_group, code)
);

create table admin_token (
  id            int generated always as identity primary key,
  name          text not null,
  role          text not null check (role in ('admin', 'operator', 'viewer')),
  token_hash    bytea not null unique,
  created_at    timestamptz not null default now(),
  revoked_at    timestamptz,
  last_used_at  timestamptz
);
create unique index admin_token_live_name on admin_token (name) where revoked_at is null;

create table audit (
  id          bigint generated always as identity primary key,
  at          timestamptz not null default now(),
  actor       text not null,
  action      text not null,      -- channel.create, stock.set, order.status, …
  subject     text not null,      -- what was changed: a channel id, a variant code, …
  before      jsonb,
  after       jsonb,
  request_id  text
);
create index audit_by_subject on audit (subject, id);

-- One row per transaction that changes what a channel may see: the variants it touched, the channels whose
-- mappings it changed, and the batch that wrote it. After a connection lost at COMMIT, the batch id tells
-- whether the transaction is there. Rows older than a few minutes are trimmed.
create table change_journal (
  xid          xid8 not null default pg_current_xact_id(),
  batch        uuid,
  variant_ids  int[] not null default '{}',
  channel_ids  int[] not null default '{}',
  at           timestamptz not null default now()
);
create index change_journal_by_xid on change_journal (xid);

-- The highest transaction id ever trimmed from the journal: whoever has read less far must start over.
create table journal_trim (
  only_row  boolean primary key default true check (only_row),
  xid       xid8 not null
);
insert into journal_trim (xid) values ('0');
