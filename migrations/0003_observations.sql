-- What the console's overview asks for.

-- Open and cancelled orders, by status; shipped ones, the many, are left out.
create index orders_open on orders (status, id) where status <> 3;
-- Orders are written in the order of their time, so a summary of a few pages each finds the hours of a day.
create index orders_by_time on orders using brin (created_at) with (pages_per_range = 32, autosummarize = on);

-- Intake that was refused, by the hour of the configured zone's clock. Kept for 30 days.
create table refusal_count (
  hour        timestamptz not null,
  channel_id  int not null references channel,
  reason      text collate "C" not null,   -- the outcome's kind, or invalid
  count       bigint not null check (count > 0),
  primary key (hour, channel_id, reason)
);

-- SKUs that a channel asked for in vain. The last thousand of each channel are kept; the ones mapped since go.
create table asked_in_vain (
  channel_id  int not null references channel,
  sku         text collate "C" not null,
  lookups     bigint not null check (lookups >= 0),   -- answered 404
  orders      bigint not null check (orders >= 0),    -- answered 422
  first_at    timestamptz not null,
  last_at     timestamptz not null,
  primary key (channel_id, sku)
);
