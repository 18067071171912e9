-- Entries that changed quantities only: stock lists then keep their names and need no lookup of mapping, variant and product.
-- False for entries of earlier versions, which may run beside this one during an upgrade.
alter table change_journal add column only_quantities boolean not null default false;
