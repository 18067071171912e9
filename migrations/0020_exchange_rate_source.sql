-- Where exchange rates are collected from: at most one row; none: nowhere.
create table exchange_rate_source (
  id             int primary key check (id = 1),
  kind           text collate "C" not null check (kind in ('none', 'ecb', 'koreaexim', 'json')),
  url            text,                    -- null: the usual one of the kind
  key_sealed     bytea,                   -- null: none
  sealed_with    text collate "C",
  currencies     text[] not null,
  every_minutes  int not null check (every_minutes > 0),
  path           text,                    -- of a json source
  per_units      int not null check (per_units > 0),
  is_inverted    boolean not null,
  run_at         timestamptz              -- of the last run
);

-- The last runs, failures included; trimmed by the service.
create table exchange_rate_run (
  id        bigint generated always as identity primary key,
  at        timestamptz not null default now(),
  kind      text collate "C" not null,
  actor     text not null,
  outcome   text collate "C" not null check (outcome in ('collected', 'unchanged', 'waiting', 'failed')),
  details   jsonb not null
);

-- The latest quote of the source for each currency, and what became of it.
create table exchange_rate_quote (
  currency_code  text collate "C" primary key,
  rate           numeric not null,
  quoted_on      date not null,
  state          text collate "C" not null check (state in ('stored', 'waiting', 'rejected')),
  last_rate      numeric,                 -- in effect when the quote came; null: none
  at             timestamptz not null default now()
);
