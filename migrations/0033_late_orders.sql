-- The earliest time of orders that an import has written into the past. The overview, which counts past hours once, counts
-- the hours since then again. Null for all other entries, and for those of earlier versions.
alter table change_journal add column orders_since timestamptz;
