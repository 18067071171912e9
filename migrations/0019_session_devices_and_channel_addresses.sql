-- Sessions are listed and revoked one by one: a public id, and what their owner recognizes them by.
alter table account_session
  add column id          bigint generated always as identity,
  add column address     text,   -- of the last use, to the minute
  add column user_agent  text;   -- of the sign-in
create unique index account_session_id on account_session (id);

-- Addresses and ranges from which a channel may use its key; empty: any.
alter table channel
  add column allowed_addresses text[] not null default '{}',
  add constraint channel_allowed_addresses check (cardinality(allowed_addresses) <= 100);
