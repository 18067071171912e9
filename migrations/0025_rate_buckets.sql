-- What is left of the channels' rate limits, for all processes. Unlogged: cheap to write, and after a crash or a failover every
-- bucket is full.
create unlogged table rate_bucket (
  channel_id  int primary key,
  units       bigint not null,        -- 60,000,000 for a request; each microsecond adds requests_per_minute
  granted     int not null,           -- requests of the last lease
  at          timestamptz not null
) with (fillfactor = 50);
