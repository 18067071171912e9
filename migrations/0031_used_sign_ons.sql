-- Sign-ins at the OpenID provider that were used: a callback is accepted once, in all processes.
create table used_sign_on (
  state_hash bytea primary key,
  used_at timestamptz not null default now()
);
create index used_sign_on_by_time on used_sign_on (used_at);
