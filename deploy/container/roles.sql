-- The two roles of docs/operations.md (Database roles). PostgreSQL's image runs this once, on an empty volume.
\set owner `cat /run/secrets/owner-password`
\set service `cat /run/secrets/service-password`
create role sluice_owner login password :'owner';
create role sluice login password :'service';
create database sluice owner sluice_owner encoding 'UTF8' template template0;
revoke all on database sluice from public;
grant connect on database sluice to sluice;
