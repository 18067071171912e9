-- What a channel may be held to beyond its key: a rate limit and signed requests. Both are off until somebody sets them.
alter table channel
  add column rate_per_minute  int,   -- null: no limit
  add column rate_burst       int,
  add column signing_mode     text collate "C" not null default 'off',
  add constraint channel_rate_limit check (
    (rate_per_minute is null) = (rate_burst is null) and rate_per_minute > 0 and rate_burst > 0),
  add constraint channel_signing_mode check (signing_mode in ('off', 'accepted', 'required'));

-- The live ones: a secret that is removed is gone. At most two a channel, counted under the lock of its row.
create table signing_secret (
  id             int generated always as identity primary key,
  channel_id     int not null references channel (id),
  secret_sealed  bytea not null,
  sealed_with    text collate "C",
  created_at     timestamptz not null default now(),
  last_used_at   timestamptz   -- to the minute
);
create index signing_secret_channel on signing_secret (channel_id);
