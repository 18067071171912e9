-- Steps from before transactions were recorded come first in the order feed. No new row is in this index.
create index order_history_without_xid on order_history (order_id) where xid is null;
