-- Evidence that a token of the order feed belongs to this history of the database. A restore to an earlier time, or a
-- failover that loses commits, repeats transaction ids, and a token from after that time would leave changes out. Each
-- new token is recorded by the transaction that gives it out, so it is known exactly if that transaction is still there.
create table order_feed_token (
  line      text not null,    -- one run of a database server: transaction ids do not repeat in it
  reader    int not null,     -- a channel; 0: the back office. Readers do not wait for each other's commits
  last_xid  bigint not null,  -- the highest transaction that gave out a token
  primary key (line, reader)
) with (fillfactor = 50);
