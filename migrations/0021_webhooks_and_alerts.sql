-- Webhooks: endpoints that are told of events, their secrets, and every delivery.
create table webhook (
  id                     int generated always as identity primary key,
  url                    text not null,
  events                 text[] not null,
  description            text not null default '',
  is_active              boolean not null default true,
  include_personal_data  boolean not null default false,
  position               text,          -- in the order feed; null: takes the present one
  pause_reason           text collate "C" check (pause_reason in ('failing', 'gone')),   -- null: an operator's decision
  paused_at              timestamptz,
  failures               int not null default 0 check (failures >= 0),   -- since the last success
  failing_since          timestamptz,
  retry_at               timestamptz,   -- no attempt before
  last_success_at        timestamptz,
  created_at             timestamptz not null default now(),
  constraint webhook_paused check (is_active or paused_at is not null),
  constraint webhook_active check (not is_active or (paused_at is null and pause_reason is null))
);

create table webhook_secret (
  id             int generated always as identity primary key,
  webhook_id     int not null references webhook on delete cascade,
  secret_sealed  bytea not null,
  sealed_with    text,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz   -- null: the present one
);
create unique index webhook_secret_present on webhook_secret (webhook_id) where expires_at is null;
create index webhook_secret_of on webhook_secret (webhook_id);

-- Deliveries name what they tell of; the body is made when it is sent, so that no copy of personal data is kept.
create table webhook_delivery (
  id               bigint generated always as identity primary key,
  webhook_id       int not null references webhook on delete cascade,
  type             text collate "C" not null,
  at               timestamptz not null,   -- of the event
  order_id         bigint,
  from_status      smallint,
  to_status        smallint,
  source           text,
  alert_id         bigint,
  state            text collate "C" not null default 'pending' check (state in ('pending', 'delivered', 'failed')),
  attempts         int not null default 0 check (attempts >= 0),
  next_attempt_at  timestamptz not null default now(),
  last_attempt_at  timestamptz,
  response_status  int,
  response_text    text,     -- the beginning of an answer that was not a success
  failure          text collate "C",   -- why there was no answer
  duration_ms      int,
  created_at       timestamptz not null default now()
) with (autovacuum_vacuum_scale_factor = 0.02);
create index webhook_delivery_pending on webhook_delivery (webhook_id, id) where state = 'pending';
create index webhook_delivery_log on webhook_delivery (webhook_id, id desc);

-- Alerts are opened and closed by the service; at most one is open for a subject.
create table alert (
  id                bigint generated always as identity primary key,
  kind              text collate "C" not null,
  subject           text collate "C" not null,
  details           jsonb not null,
  opened_at         timestamptz not null default now(),
  closed_at         timestamptz,
  opening_mailed    boolean not null default false,
  closing_mailed    boolean not null default false
);
create unique index alert_open on alert (kind, subject) where closed_at is null;
create index alert_unmailed on alert (id) where not opening_mailed or (closed_at is not null and not closing_mailed);

-- Rules that differ from the defaults.
create table alert_rule (
  kind      text collate "C" primary key,
  enabled   boolean not null,
  settings  jsonb not null
);
