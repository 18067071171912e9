// Delivers to one endpoint: takes events from the order feed, stores them as deliveries, and sends them with bounded
// concurrency. Events of one order (or one alert) go one after the other, those of different orders side by side.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  ENDPOINT_FAILURES_MAX,
  endpointRetryAt,
  isAccepted,
  nextAttempt,
  pauseReason,
  WEBHOOK_PENDING_MAX,
} from '../domain/webhooks.ts';
import { pauseFailingWebhook } from '../backoffice/webhooks.ts';
import { FROM_NOW, orderChangesIn, type OrderChanges } from '../engine/order-changes.ts';
import { readSubjects, WebhookSender, type Sent } from '../engine/webhook-sender.ts';
import type { ToldSubject } from '../engine/webhook-payload.ts';
import { inTransaction, reading } from '../store/transactions.ts';
import {
  insertDeliveries,
  pendingDeliveries,
  recordAttempts,
  releaseDeliveries,
  type Attempt,
  type Delivery,
  type ToldEvent,
} from '../store/webhook-deliveries.ts';
import {
  findWebhook,
  lockWebhookPosition,
  setWebhookHealth,
  setWebhookPosition,
  type Webhook,
} from '../store/webhooks.ts';
import type { JobServices } from './job.ts';

/** Requests under way to one endpoint. */
const REQUESTS_MAX = 64;
/** Events that are taken from the feed at a time; the next ones while these are sent. */
const FEED_EVENTS = 500;
const IDLE_MS = 1_000;
const FLUSH_ROWS = 200;
/** After as many attempts it is looked whether to store or to take. */
const WAKE_ROWS = 50;
const FLUSH_MS = 250;
/** Changes of the endpoint are noticed within this time. */
const RELOAD_MS = 1_000;
/** How often all waiting deliveries are read: some are stored by others, with lower ids. */
const RESCAN_MS = 30_000;
/** How long requests under way may take when the run ends. */
const STOP_MS = 3_000;

interface Waiting {
  delivery: Delivery;
  subject: ToldSubject;
}

/** One after the other. */
const queueOf = ({ order_id, alert_id }: Delivery): string => `${order_id ?? ''}/${alert_id ?? ''}`;

export class EndpointLoop {
  readonly #id: number;
  readonly #services: JobServices;
  /** By order or alert, in the sequence of their events. The first one of a queue may be under way. */
  readonly #queues = new Map<string, Waiting[]>();
  readonly #underWay = new Map<string, Promise<void>>();
  #waitingCount = 0;
  #lastId = 0;
  /** Ids that wait here, or whose attempt is not recorded yet. */
  readonly #known = new Set<number>();
  #scannedAt = -Infinity;
  #attempts: Attempt[] = [];
  #firstAttemptAt = 0;
  #sender: WebhookSender | null = null;
  #senderOf = '';
  #loadedAt = -Infinity;
  #failures = 0;
  #retryAt = 0;
  #succeeded = false;
  #isHealthChanged = false;
  #lastStatus: number | null = null;
  #feedIsEmpty = false;
  #isEnding = false;
  #wake: () => void = () => {};
  readonly #cancel = new AbortController();

  constructor(id: number, services: JobServices) {
    this.#id = id;
    this.#services = services;
  }

  /** Until the signal, or until the endpoint is paused or removed. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted && (await this.#load())) {
        await this.#take();
        this.#launch();
        if (this.#isFlushDue()) await this.#flush();
        if (!signal.aborted) await this.#pause();
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.#isEnding = true;
      const stopping = setTimeout(() => this.#cancel.abort(), STOP_MS);
      await Promise.all(this.#underWay.values());
      clearTimeout(stopping);
      await this.#flush().finally(() => this.#sender?.close());
    }
  }

  /** Until something is to be stored or taken; requests are started without it, as others end. */
  async #pause(): Promise<void> {
    if (!this.#feedIsEmpty && this.#mayTake()) return;
    const isBusy = this.#underWay.size > 0 || this.#attempts.length > 0;
    const waiting = new AbortController();
    this.#wake = () => waiting.abort();
    await sleep(isBusy ? FLUSH_MS : IDLE_MS, undefined, { signal: waiting.signal }).catch(() => {});
    this.#wake = () => {};
  }

  /** The endpoint as it is now; false: it is paused or gone. */
  async #load(): Promise<boolean> {
    if (performance.now() - this.#loadedAt < RELOAD_MS && this.#sender) return true;
    await this.#flush();
    const { pool, sealer, formatTimestamp, config } = this.#services;
    const webhook = await reading(pool, (tx) => findWebhook(tx, this.#id));
    if (webhook?.is_active !== true) return false;
    this.#loadedAt = performance.now();
    this.#failures = webhook.failures;
    this.#retryAt = webhook.retry_at?.getTime() ?? 0;
    if (await this.#pauseIfDead(webhook)) return false;
    const settings = JSON.stringify([
      webhook.url,
      webhook.include_personal_data,
      webhook.previous_secret_expires_at,
    ]);
    const hasSecretExpired =
      (this.#sender?.webhook.previous_secret_expires_at?.getTime() ?? Infinity) < Date.now();
    if (!this.#sender || settings !== this.#senderOf || hasSecretExpired) {
      const before = this.#sender;
      this.#sender = await WebhookSender.open(pool, webhook, {
        sealer,
        formatTimestamp,
        allowPrivate: config.allow_private_channel_urls,
        connections_max: REQUESTS_MAX,
      });
      this.#senderOf = settings;
      // Requests under way keep their connections.
      if (before) void Promise.all(this.#underWay.values()).then(() => before.close());
    }
    return true;
  }

  async #pauseIfDead(webhook: Webhook): Promise<boolean> {
    const failing_since_ms = webhook.failing_since?.getTime() ?? null;
    const reason = pauseReason({ failing_since_ms, status: this.#lastStatus }, Date.now());
    if (reason === null) return false;
    await inTransaction(this.#services.pool, (tx) => pauseFailingWebhook(tx, { id: this.#id, reason }));
    this.#services.log.warn({ webhook: this.#id, reason }, 'an endpoint was paused');
    return true;
  }

  #mayTake(): boolean {
    if (this.#waitingCount >= WEBHOOK_PENDING_MAX) return false;
    return this.#due(Date.now(), FEED_EVENTS).length < FEED_EVENTS;
  }

  /** Stores the next events, with the position behind them, and takes what others have stored. */
  async #take(): Promise<void> {
    if (!this.#mayTake()) return;
    const { pool } = this.#services;
    const limit = WEBHOOK_PENDING_MAX + FEED_EVENTS;
    const isRescan = performance.now() - this.#scannedAt > RESCAN_MS;
    if (isRescan) this.#scannedAt = performance.now();
    const after = isRescan ? 0 : this.#lastId;
    const stored = (await reading(pool, (tx) => pendingDeliveries(tx, this.#id, after, limit))).filter(
      ({ id }) => !this.#known.has(id),
    );
    if (stored.length > 0) {
      const subjects = await reading(pool, (tx) => readSubjects(tx, stored));
      this.#add(stored.map((delivery) => ({ delivery, subject: subjects.get(delivery.id) ?? null })));
    }
    if (!this.#wantsOrders() || this.#waitingCount >= WEBHOOK_PENDING_MAX) {
      this.#feedIsEmpty = true;
      return;
    }
    const taken = await inTransaction(
      pool,
      async (tx): Promise<{ waiting: Waiting[]; has_more: boolean }> => {
        const place = await lockWebhookPosition(tx, this.#id);
        if (!place) return { waiting: [], has_more: false };
        const read =
          (await orderChangesIn(tx, { since: place.position ?? FROM_NOW, limit: FEED_EVENTS })) ??
          // A position of another database: this one was restored from a backup.
          (await orderChangesIn(tx, { since: FROM_NOW, limit: FEED_EVENTS }));
        if (!read) throw new RangeError('the order feed has no present position');
        if (read.next === place.position) return { waiting: [], has_more: false };
        const wanted = read.changes.filter(({ step }) => this.#wants(eventType(step.from)));
        const deliveries =
          wanted.length === 0 ? [] : await insertDeliveries(tx, this.#id, wanted.map(toldOf));
        await setWebhookPosition(tx, this.#id, read.next);
        return {
          waiting: deliveries.map((delivery, index) => ({ delivery, subject: subjectOf(wanted[index]) })),
          has_more: read.has_more,
        };
      },
    );
    this.#add(taken.waiting);
    this.#feedIsEmpty = !taken.has_more;
  }

  #wants(type: string): boolean {
    return this.#sender?.webhook.events.some((event) => event === type) === true;
  }

  #wantsOrders(): boolean {
    return this.#wants('order.accepted') || this.#wants('order.status_changed');
  }

  #add(waiting: readonly Waiting[]): void {
    for (const one of waiting) {
      const { id } = one.delivery;
      if (this.#known.has(id)) continue;
      this.#known.add(id);
      this.#lastId = Math.max(this.#lastId, id);
      const key = queueOf(one.delivery);
      const queue = this.#queues.get(key);
      if (queue) queue.push(one);
      else this.#queues.set(key, [one]);
      this.#waitingCount += 1;
    }
  }

  /** Sends what is due, as far as requests are free. */
  #launch(): void {
    const sender = this.#sender;
    const now = Date.now();
    if (!sender || this.#isEnding || this.#retryAt > now) return;
    const isProbing = this.#failures >= ENDPOINT_FAILURES_MAX;
    const free = (isProbing ? 1 : REQUESTS_MAX) - this.#underWay.size;
    if (free <= 0) return;
    for (const { key, waiting } of isProbing ? this.#longestWaiting() : this.#due(now, free)) {
      const request = this.#send(sender, key, waiting).finally(() => {
        this.#underWay.delete(key);
        this.#launch();
        if (this.#attempts.length % WAKE_ROWS === 0) this.#wake();
      });
      this.#underWay.set(key, request);
    }
  }

  #due(now: number, limit: number): { key: string; waiting: Waiting }[] {
    const due: { key: string; waiting: Waiting }[] = [];
    for (const [key, [waiting]] of this.#queues) {
      if (due.length === limit) break;
      if (waiting && !this.#underWay.has(key) && waiting.delivery.next_attempt_at.getTime() <= now)
        due.push({ key, waiting });
    }
    return due;
  }

  /** Of an endpoint that keeps failing: the delivery whose turn comes first, due or not. */
  #longestWaiting(): { key: string; waiting: Waiting }[] {
    let found: { key: string; waiting: Waiting } | null = null;
    for (const [key, [waiting]] of this.#queues) {
      if (!waiting || this.#underWay.has(key)) continue;
      if (!found || waiting.delivery.next_attempt_at < found.waiting.delivery.next_attempt_at)
        found = { key, waiting };
    }
    return found ? [found] : [];
  }

  async #send(sender: WebhookSender, key: string, { delivery, subject }: Waiting): Promise<void> {
    const sent = await sender.send(delivery, subject, this.#cancel.signal);
    // Given up because the run ends: as if it had not been tried.
    if (this.#cancel.signal.aborted && sent.response_status === null) return;
    this.#note(key, delivery, sent);
  }

  #note(key: string, delivery: Delivery, sent: Sent): void {
    const now = Date.now();
    if (this.#attempts.length === 0) this.#firstAttemptAt = performance.now();
    this.#lastStatus = sent.response_status;
    this.#isHealthChanged = true;
    if (isAccepted(sent.response_status)) {
      if (this.#failures > 0) this.#recover();
      this.#succeeded = true;
      this.#attempts.push({ id: delivery.id, state: 'delivered', next_attempt_at: null, ...sent });
      this.#done(key);
      return;
    }
    this.#failures += 1;
    this.#retryAt = endpointRetryAt(this.#failures, now, Math.random()) ?? 0;
    delivery.attempts += 1;
    const created_ms = delivery.created_at.getTime();
    const next = nextAttempt({ attempts: delivery.attempts, created_ms }, now, Math.random());
    const next_attempt_at = next === null ? null : new Date(next);
    this.#attempts.push({
      id: delivery.id,
      state: next === null ? 'failed' : 'pending',
      next_attempt_at,
      ...sent,
    });
    if (next_attempt_at) delivery.next_attempt_at = next_attempt_at;
    else this.#done(key);
  }

  #done(key: string): void {
    const queue = this.#queues.get(key);
    queue?.shift();
    this.#waitingCount -= 1;
    if (queue?.length === 0) this.#queues.delete(key);
  }

  /** The endpoint is back: what waits for its next attempt is due. */
  #recover(): void {
    const wasDown = this.#failures >= ENDPOINT_FAILURES_MAX;
    this.#failures = 0;
    this.#retryAt = 0;
    if (!wasDown) return;
    const now = new Date();
    for (const [waiting] of this.#queues.values()) if (waiting) waiting.delivery.next_attempt_at = now;
  }

  #isFlushDue(): boolean {
    if (this.#attempts.length === 0) return false;
    return this.#attempts.length >= FLUSH_ROWS || performance.now() - this.#firstAttemptAt >= FLUSH_MS;
  }

  /** What came of the attempts, and how the endpoint does. */
  async #flush(): Promise<void> {
    if (!this.#isHealthChanged) return;
    const attempts = this.#attempts;
    this.#attempts = [];
    this.#isHealthChanged = false;
    const health = {
      failures: this.#failures,
      retry_at: this.#retryAt > 0 ? new Date(this.#retryAt) : null,
      succeeded: this.#succeeded,
    };
    const isBack = this.#succeeded && this.#failures === 0;
    this.#succeeded = false;
    await inTransaction(this.#services.pool, async (tx) => {
      await recordAttempts(tx, attempts);
      await setWebhookHealth(tx, this.#id, health);
      if (isBack && this.#wasDown) await releaseDeliveries(tx, this.#id);
    });
    for (const { id, state } of attempts) if (state !== 'pending') this.#known.delete(id);
    this.#wasDown = this.#failures >= ENDPOINT_FAILURES_MAX;
  }
  #wasDown = false;
}

const eventType = (from: number | null): 'order.accepted' | 'order.status_changed' =>
  from === null ? 'order.accepted' : 'order.status_changed';

type Change = OrderChanges['changes'][number];

const toldOf = ({ step }: Change): ToldEvent => ({
  type: eventType(step.from),
  at: step.at,
  order_id: step.order_id,
  from_status: step.from,
  to_status: step.to,
  source: step.source,
  alert_id: null,
});

const subjectOf = (change: Change | undefined): ToldSubject => (change ? { order: change.order } : null);
