-- People of the back office and their sessions in the console. Accounts are never deleted: the audit names them.
create table account (
  id                    int generated always as identity primary key,
  email                 text collate "C" not null,   -- trimmed and in lower case, as the service writes it
  name                  text,
  role                  text not null check (role in ('admin', 'operator', 'viewer')),
  password_hash         text not null,   -- scrypt, with its parameters and its salt
  must_change_password  boolean not null,
  is_active             boolean not null default true,
  created_at            timestamptz not null default now(),
  last_sign_in_at       timestamptz
);
create unique index account_email on account (email);

-- Only the hash of a session's id: whoever reads the table cannot take a session over.
create table account_session (
  id_hash       bytea primary key,
  account_id    int not null references account,
  created_at    timestamptz not null default now(),
  last_seen_at  timestamptz not null default now()
);
create index account_session_by_account on account_session (account_id);
