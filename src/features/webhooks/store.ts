// Endpoints of webhooks and their sealed secrets.
import type { WebhookEvent } from './rules.ts';
import { newWebhookSecret, type Sealed, type Sealer } from '../../platform/secrets/keys.ts';
import { webhookContext } from './seals.ts';
import { sealWhile } from '../../platform/secrets/seal-store.ts';
import { rows, run, statement, type Tx } from '../../platform/database/database.ts';

export interface Webhook {
  id: number;
  url: string;
  events: WebhookEvent[];
  description: string;
  is_active: boolean;
  include_personal_data: boolean;
  /** null: paused by an operator, or not paused. */
  pause_reason: 'failing' | 'gone' | null;
  paused_at: Date | null;
  /** Failures since the last success. */
  failures: number;
  failing_since: Date | null;
  retry_at: Date | null;
  last_success_at: Date | null;
  created_at: Date;
  /** The current secret. A rotation creates another one. */
  secret_id: number;
  /** Until when the previous secret signs too; null: no previous secret. */
  previous_secret_expires_at: Date | null;
}

const COLUMNS = `w.id, w.url, w.events, w.description, w.is_active, w.include_personal_data, w.pause_reason, w.paused_at,
  w.failures, w.failing_since, w.retry_at, w.last_success_at, w.created_at,
  (select max(s.id) from webhook_secret s where s.webhook_id = w.id) as secret_id,
  (select max(s.expires_at) from webhook_secret s where s.webhook_id = w.id and s.expires_at > now()) as previous_secret_expires_at`;

const PAGE = statement(
  'webhook_page',
  `select ${COLUMNS} from webhook w where w.id > $1::bigint order by w.id limit $2`,
);
export const listWebhooks = (tx: Tx, afterId: number, limit: number): Promise<Webhook[]> =>
  rows(tx, PAGE, [afterId, limit]);

const FIND = statement('webhook_find', `select ${COLUMNS} from webhook w where w.id = $1`);
export const findWebhook = async (tx: Tx, id: number): Promise<Webhook | undefined> =>
  (await rows<Webhook>(tx, FIND, [id]))[0];

const LOCK = statement('webhook_lock', 'select id from webhook where id = $1 for update');

/** Undefined: no such endpoint. */
export async function lockWebhook(tx: Tx, id: number): Promise<Webhook | undefined> {
  const [locked] = await rows(tx, LOCK, [id]);
  return locked && findWebhook(tx, id);
}

/** An arbitrary constant: of two concurrent creations, the second counts the endpoint of the first. */
const CREATION_LOCK = 7_358_264_004;
const LOCK_CREATION = statement('webhook_lock_creation', `select pg_advisory_xact_lock(${CREATION_LOCK})`);

/** Prevents other creations of endpoints until the transaction ends. */
export const lockWebhookCreation = (tx: Tx): Promise<number> => run(tx, LOCK_CREATION);

const COUNT = statement('webhook_count', 'select count(*) as count from webhook');
export const countWebhooks = async (tx: Tx): Promise<number> =>
  (await rows<{ count: number }>(tx, COUNT))[0]?.count ?? 0;

const ACTIVE = statement('webhook_active_ids', 'select id from webhook where is_active order by id');
export const activeWebhookIds = async (tx: Tx): Promise<number[]> =>
  (await rows<{ id: number }>(tx, ACTIVE)).map(({ id }) => id);

export interface WebhookSettings {
  url: string;
  events: readonly WebhookEvent[];
  description: string;
  is_active: boolean;
  include_personal_data: boolean;
}

const INSERT = statement(
  'webhook_insert',
  `insert into webhook (url, events, description, is_active, include_personal_data, paused_at, position)
   values ($1, $2::text[], $3, $4, $5, case when $4 then null else now() end, $6) returning id`,
);

/** `position`: the start in the order feed. */
export async function insertWebhook(tx: Tx, settings: WebhookSettings, position: string): Promise<number> {
  const { url, events, description, is_active, include_personal_data } = settings;
  const values = [url, [...events], description, is_active, include_personal_data, position];
  const [row] = await rows<{ id: number }>(tx, INSERT, values);
  if (!row) throw new RangeError('no row');
  return row.id;
}

// Resuming an endpoint resets its failures. A new URL can be tried immediately.
const UPDATE = statement(
  'webhook_update',
  `update webhook set url = $2, events = $3::text[], description = $4, is_active = $5, include_personal_data = $6,
     paused_at = case when $5 then null else coalesce(paused_at, now()) end,
     pause_reason = case when $5 then null else pause_reason end,
     failures = case when $5 and not is_active then 0 else failures end,
     failing_since = case when $5 and not is_active then null else failing_since end,
     retry_at = case when $5 and (not is_active or url <> $2) then null else retry_at end
   where id = $1`,
);
export const updateWebhook = (tx: Tx, id: number, settings: WebhookSettings): Promise<number> => {
  const { url, events, description, is_active, include_personal_data } = settings;
  return run(tx, UPDATE, [id, url, [...events], description, is_active, include_personal_data]);
};

const PAUSE = statement(
  'webhook_pause',
  'update webhook set is_active = false, paused_at = now(), pause_reason = $2 where id = $1',
);
export const pauseWebhook = (tx: Tx, id: number, reason: 'failing' | 'gone'): Promise<number> =>
  run(tx, PAUSE, [id, reason]);

const DELETE = statement('webhook_delete', 'delete from webhook where id = $1');
export const deleteWebhook = (tx: Tx, id: number): Promise<number> => run(tx, DELETE, [id]);

const ADD_SECRET = statement(
  'webhook_add_secret',
  'insert into webhook_secret (webhook_id, secret_sealed, sealed_with) values ($1, $2, $3)',
);
const EXPIRE_SECRETS = statement(
  'webhook_expire_secrets',
  `update webhook_secret set expires_at = now() + $2 * interval '1 second' where webhook_id = $1 and expires_at is null`,
);
// Keeps at most one previous secret.
const DROP_SECRETS = statement(
  'webhook_drop_secrets',
  'delete from webhook_secret where webhook_id = $1 and expires_at is not null',
);

/** Creates and stores a new secret; the previous one signs too for `overlap_s`. The endpoint's row must be locked. */
export async function addWebhookSecret(
  tx: Tx,
  sealer: Sealer,
  webhookId: number,
  overlap_s: number,
): Promise<string> {
  const secret = newWebhookSecret();
  const { key_sealed, sealed_with } = await sealWhile(tx, sealer, secret, webhookContext(webhookId));
  await run(tx, DROP_SECRETS, [webhookId]);
  await run(tx, EXPIRE_SECRETS, [webhookId, overlap_s]);
  await run(tx, ADD_SECRET, [webhookId, key_sealed, sealed_with]);
  return secret;
}

const SECRETS = statement(
  'webhook_secrets',
  `select secret_sealed as key_sealed, sealed_with from webhook_secret
   where webhook_id = $1 and (expires_at is null or expires_at > now()) order by expires_at nulls first, id`,
);

/** The valid secrets, the current one first. */
export const readWebhookSecrets = (tx: Tx, webhookId: number): Promise<Sealed[]> =>
  rows(tx, SECRETS, [webhookId]);

// NO KEY: transactions that insert deliveries of alerts reference the endpoint and need not be waited for.
const LOCK_POSITION = statement(
  'webhook_lock_position',
  'select position from webhook where id = $1 for no key update',
);

/**
 * Locks the position until the transaction ends, so that it is advanced by one transaction at a time. Undefined: no
 * such endpoint.
 */
export const lockWebhookPosition = async (
  tx: Tx,
  id: number,
): Promise<{ position: string | null } | undefined> =>
  (await rows<{ position: string | null }>(tx, LOCK_POSITION, [id]))[0];

const SET_POSITION = statement('webhook_set_position', 'update webhook set position = $2 where id = $1');
export const setWebhookPosition = (tx: Tx, id: number, position: string): Promise<number> =>
  run(tx, SET_POSITION, [id, position]);

// A change of the URL is noticed later: the health of the earlier one is not stored.
const SET_HEALTH = statement(
  'webhook_set_health',
  `update webhook set failures = $2, retry_at = $3,
     failing_since = case when $2 = 0 then null else coalesce(failing_since, now()) end,
     last_success_at = case when $4 then now() else last_success_at end
   where id = $1 and url = $5`,
);

export interface WebhookHealth {
  url: string;
  failures: number;
  retry_at: Date | null;
  succeeded: boolean;
}
export const setWebhookHealth = (tx: Tx, id: number, health: WebhookHealth): Promise<number> =>
  run(tx, SET_HEALTH, [id, health.failures, health.retry_at, health.succeeded, health.url]);

const WEBHOOK_FAILING = statement(
  'alert_webhook_failing',
  `select 'webhook:' || w.id as subject,
     jsonb_build_object('webhook_id', w.id, 'host', substring(w.url from '^[a-z]+://([^/?#]+)'), 'description', w.description, 'failing_since', w.failing_since, 'pause_reason', w.pause_reason) as details
   from webhook w where w.pause_reason is not null or (w.is_active and w.failures >= $1) order by w.id`,
);

/** Endpoints that were paused by the service, or have failed so often: the subjects of alerts, and their details. */
export const readFailingWebhooks = (
  tx: Tx,
  failures: number | undefined,
): Promise<{ subject: string; details: object }[]> => rows(tx, WEBHOOK_FAILING, [failures]);
