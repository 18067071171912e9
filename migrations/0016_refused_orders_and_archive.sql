-- Worklists about what channels sent, written a few seconds after the answer. No personal data: numbers, SKUs, quantities.

-- Refused orders, one row for each number of a channel; sent again, the row is replaced and its count rises. The last
-- ones of each channel are kept, for 30 days.
create table refused_order (
  id            bigint generated always as identity primary key,
  channel_id    int not null references channel,
  order_number  text collate "C" not null,
  reason        text collate "C" not null,   -- the outcome's kind, or invalid
  field         text,                        -- invalid: the first field at fault
  sku           text collate "C",            -- the channel SKU that the refusal names
  requested     bigint,
  available     bigint,                      -- of a backorder: what its quota had left
  is_backorder  boolean not null,
  lines         jsonb,                       -- [{"sku", "quantity"}]; null: not of the required form, or too many
  request_id    text not null,
  count         bigint not null check (count > 0),
  first_at      timestamptz not null,
  last_at       timestamptz not null,
  constraint refused_order_number unique (channel_id, order_number)
);
create index refused_order_by_time on refused_order (last_at, id);

-- Reports and resends that came too late, or for an order that the service does not have.
create table late_report (
  id                bigint generated always as identity primary key,
  channel_id        int not null references channel,
  order_number      text collate "C" not null,
  kind              text collate "C" not null
    check (kind in ('report_after_cancel', 'resend_after_cancel', 'cancel_after_ship', 'report_unknown')),
  requested_status  smallint,   -- the last one reported; null: a resend
  request_id        text not null,
  count             bigint not null check (count > 0),
  first_at          timestamptz not null,
  last_at           timestamptz not null,
  constraint late_report_of_order unique (channel_id, order_number, kind)
);
create index late_report_by_time on late_report (last_at, id);

-- Open backorders, oldest first. Normal orders are not in it, so that their intake pays nothing for it.
create index orders_backordered on orders (id) where is_backorder and status in (0, 1, 2, 9);

-- An archived channel is out of lists and pickers. It is inactive, and keeps its orders.
alter table channel add column archived_at timestamptz;
alter table channel add constraint channel_archived_inactive check (archived_at is null or not is_active);
