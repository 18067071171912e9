-- What a channel that follows its stock list must be told beyond the variants that changed.

-- The SKUs whose mapping was added, moved or removed, of the one channel that the row names. Null beside a channel:
-- too many to be named, and the channel's list is to be read anew.
alter table change_journal
  add column skus text[],
  add constraint change_journal_skus check (skus is null or cardinality(channel_ids) = 1);

-- Names the time during which no transaction id is given out twice. After a crash, and on a standby that takes over,
-- ids that nothing on disk tells of may be; and there PostgreSQL empties an unlogged table.
create unlogged table journal_era (
  only_row  boolean primary key default true check (only_row),
  id        uuid not null default gen_random_uuid()
);
