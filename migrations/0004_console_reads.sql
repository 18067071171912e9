-- The audit log as the console filters it, newest first by the clock. Operators alone write it, so a few indexes
-- are no burden.
create index audit_by_time on audit (at, id);
create index audit_by_actor on audit (actor, at, id);
create index audit_by_action on audit (action collate "C", at, id);
