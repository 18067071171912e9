-- A second factor for signing in with a password: one-time codes (TOTP) and recovery codes.
create table second_factor (
  id             int generated always as identity primary key,
  account_id     int not null unique references account,
  secret_sealed  bytea not null,
  sealed_with    text collate "C",
  confirmed_at   timestamptz,                 -- null: no code was entered yet
  last_step      bigint not null default 0    -- the 30 seconds of the last accepted code: a code counts once
);

-- Only hashes; a code that was used is deleted.
create table recovery_code (
  account_id  int not null references account,
  code_hash   bytea not null,
  primary key (account_id, code_hash)
);

-- For whom it is required: an account, or every account of a role.
alter table account add column second_factor_required boolean not null default false;
create table second_factor_role (
  role  text collate "C" primary key check (role in ('admin', 'operator', 'viewer'))
);
