-- A count of physical stock is taken at one moment and entered later. Goods that moved in between are added to it, so the
-- ledger needs the moment of the movement itself, behind the lock of the stock row, not the start of its transaction.
alter table stock_movement alter column at set default clock_timestamp();
-- "What moved since": the ledger is written in the order of time, so a BRIN index is enough and costs an insert nothing.
create index stock_movement_by_time on stock_movement using brin (at);

-- The moment of the latest count of each variant, also of one that found the quantity of the books: an older count must not
-- overwrite it. Beside the stock row, which stays narrow. No foreign key: variants are never
-- deleted, and the check would double the time of an import.
create table stock_count (
  variant_id  int primary key,
  counted_at  timestamptz not null
);
insert into stock_count (variant_id, counted_at)
  select variant_id, max(at) from stock_movement where kind in ('set', 'import') group by variant_id;

-- Facts about variants for the back office. Channels see none of them.
alter table variant
  add column barcode       text collate "C",
  add column attributes    jsonb not null default '{}',   -- texts by name: size, colour, …
  add column low_stock_at  int,
  add column archived_at   timestamptz,
  add constraint variant_barcode check (barcode <> ''),
  add constraint variant_attributes check (jsonb_typeof(attributes) = 'object'),
  add constraint variant_low_stock_at check (low_stock_at >= 0);
-- A scanner's code opens one item.
create unique index variant_by_barcode on variant (barcode) where barcode is not null;
alter table product add column archived_at timestamptz;
