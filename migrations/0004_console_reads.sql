-- The audit log as the console filters it, newest first by the clock. Operators alone write it, so a few indexes
-- are no burden.
create index audit_by_time on audit (at, id);
create index audit_by_actor on audit (actor, at, id);
create index audit_by_action on audit (action collate "C", at, id);

-- The lists are in the order of time. Of two changes that waited for one lock, the later one may have begun earlier:
-- the moment that counts is that of the entry, written under the lock.
alter table audit alter column at set default clock_timestamp();
