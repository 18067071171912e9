-- The last requests of each channel that were refused, slow or traced, for operators who look for one by its X-Request-Id.
-- Unlogged: cheap to write, and empty after a crash or a failover; the log has the same facts. No personal data.
create unlogged table channel_request (
  id            bigint primary key,   -- made by the process: ascending there, with a random beginning
  channel_id    int not null,
  at            timestamptz not null,
  request_id    text collate "C" not null,
  outcome       text collate "C" not null check (outcome in ('refused', 'slow', 'served')),
  method        text not null,
  route         text not null,      -- the pattern, not the path
  sku           text collate "C",   -- shortened, control characters escaped; so is the order number
  order_number  text collate "C",
  status        int not null,
  code          text,               -- the header Sluice-Error
  ms            int not null,
  address       text not null       -- of the client; IPv6: its /64 network
);
create index channel_request_by_time on channel_request (channel_id, at, id);

-- Every request of the channel is logged until then. Null: only those that are refused or slow.
alter table channel add column trace_until timestamptz;
