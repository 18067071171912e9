-- Lists of stock that were entered at once, for as long as they can be undone. One row holds all variants of a list: it is read
-- and deleted as a whole.
create table stock_import (
  id              bigint generated always as identity primary key,
  entered_at      timestamptz not null default clock_timestamp(),
  mode            text not null,
  variant_ids     int[] not null,
  deltas          int[] not null,
  -- Of a count, for each variant: the latest count before it (null: none), and `stock_count.entries` after it.
  counted_before  timestamptz[],
  entries         int[],
  undone_at       timestamptz,
  constraint stock_import_mode check (mode in ('set', 'add', 'subtract')),
  constraint stock_import_count check ((mode = 'set') = (counted_before is not null) and (mode = 'set') = (entries is not null))
);

-- Counts of a variant that were entered: a count that was followed by another one cannot be undone.
alter table stock_count add column entries int not null default 1;
