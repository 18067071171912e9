-- The list of an endpoint's failed deliveries, which are few, read all deliveries of the week.
create index webhook_delivery_failed on webhook_delivery (webhook_id, id) where state = 'failed';
