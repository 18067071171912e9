-- Failed sign-ins, counted for all processes. Keys are hashes: people type passwords into the wrong field.
create table sign_in_failure (
  key           text collate "C" primary key,
  account       text collate "C",             -- hash of the e-mail; null: an address over all accounts
  address_key   text collate "C",             -- the row that counts the same address over all accounts
  level         double precision not null default 0,   -- failures not yet forgotten, with fractions
  failures      int not null default 0,       -- since the row was made: the audit log tells the 1st, 5th, 25th, ...
  at            timestamptz not null default now(),
  locked_until  timestamptz
);
create index sign_in_failure_by_account on sign_in_failure (account);
create index sign_in_failure_by_time on sign_in_failure (at);

-- A token may end by itself, and says who made it; null: made before this was recorded.
alter table admin_token
  add column expires_at  timestamptz,
  add column created_by  text;
