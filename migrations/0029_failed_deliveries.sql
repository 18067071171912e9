-- The list of an endpoint's failed deliveries, which are few, read all deliveries of the week. It may exist: operators of large
-- databases create indexes beforehand, with "create index concurrently".
create index if not exists webhook_delivery_failed on webhook_delivery (webhook_id, id) where state = 'failed';
