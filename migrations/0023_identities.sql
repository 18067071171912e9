-- Accounts that sign in at an OpenID provider: who they are there.
create table account_identity (
  issuer      text collate "C" not null,
  subject     text collate "C" not null,
  account_id  int not null references account,
  primary key (issuer, subject)
);
create index account_identity_by_account on account_identity (account_id);

-- An account that was created by the provider has no password until an administrator resets it.
alter table account add column has_password boolean not null default true;
-- A second factor is asked for with passwords; the provider has its own.
alter table account_session add column is_by_provider boolean not null default false;
