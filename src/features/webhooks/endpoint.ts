// Delivers to one endpoint: takes events from the order feed, stores them as deliveries, sends them with limited
// concurrency, and stores the results.
import { setTimeout as sleep } from 'node:timers/promises';
import { isAccepted, nextAttempt, WEBHOOK_PENDING_MAX } from './rules.ts';
import { pauseFailingWebhook } from './changes.ts';
import { BusyMeter } from '../../platform/queues/busy-meter.ts';
import { readSubjects, WebhookSender, type Sent } from './sender.ts';
import { failureOf } from '../../platform/database/failures.ts';
import { readNow } from '../../platform/database/clock.ts';
import { inTransaction, reading } from '../../platform/database/transactions.ts';
import {
  pendingDeliveries,
  recordAttempts,
  releaseDeliveries,
  type Attempt,
  type Delivery,
} from './deliveries-store.ts';
import { findWebhook, setWebhookHealth, type Webhook } from './store.ts';
import type { JobServices } from '../../core/assembly/core.ts';
import { takeFromFeed, wantsOrders } from './feed.ts';
import { EndpointHealth } from './health.ts';
import { DeliveryQueues, type Turn, type WaitingDelivery } from './queues.ts';

/** Limit on requests in flight to one endpoint. */
const REQUESTS_MAX = 64;
/** Events taken from the feed at a time. The next ones are taken while these are sent. */
const FEED_EVENTS = 500;
/** Above this rate of orders and reports, deliveries slow down, because there is no CPU time for both. */
const BUSY_COMMANDS_PER_SECOND = 1_000;
/** Under this load, events are taken once in this time, and only BUSY_FEED_EVENTS. */
const BUSY_TAKE_MS = 1_000;
const BUSY_FEED_EVENTS = 50;
const IDLE_MS = 1_000;
const FLUSH_ROWS = 200;
/** After this many attempts the loop wakes up to store results or take events. */
const WAKE_ROWS = 50;
const FLUSH_MS = 250;
/** Changes of the endpoint are noticed within this time. */
const RELOAD_MS = 1_000;
/** An event that is sent later is read again: its order may have changed, or been erased. */
const SUBJECT_MS = 1_000;
/** How often all pending deliveries are read again, because other transactions may store deliveries with lower ids. */
const RESCAN_MS = 30_000;
/** How long requests in flight may take when the run ends. */
const STOP_MS = 3_000;

export class EndpointLoop {
  readonly #id: number;
  readonly #services: JobServices;
  readonly #queues = new DeliveryQueues();
  readonly #health = new EndpointHealth();
  readonly #meter: BusyMeter;
  readonly #underWay = new Set<Promise<void>>();
  /** The current sender, and earlier ones with requests in flight. */
  readonly #senders = new Set<WebhookSender>();
  /** Attempts that are not stored yet. */
  #attempts: Attempt[] = [];
  #firstAttemptAt = 0;
  #sender: WebhookSender | null = null;
  /** From `performance.now()` to the database's time. */
  #clock_ms = 0;
  #loadedAt = -Infinity;
  #scannedAt = -Infinity;
  #tookAt = -Infinity;
  /** No reason to read the feed now: it is empty or not needed, or the service is busy. */
  #feedCanWait = false;
  #isEnding = false;
  /** Logged once for an outage. */
  #isAway = false;
  /** A bug in sending. */
  #fault: { error: unknown } | null = null;
  #wake: () => void = () => {};
  #isCancelled = false;

  constructor(id: number, services: JobServices) {
    this.#id = id;
    this.#services = services;
    this.#meter = new BusyMeter(() => services.gate.submitted, BUSY_COMMANDS_PER_SECOND);
  }

  /** The database's time, which dates deliveries and failures; the clock of this machine may differ. */
  get #now_ms(): number {
    return performance.now() + this.#clock_ms;
  }

  /** Number of deliveries waiting in this process. */
  get waiting(): number {
    return this.#queues.count;
  }

  /** Runs until the signal is aborted, or the endpoint is paused or removed. */
  async run(signal: AbortSignal): Promise<void> {
    const wake = (): void => this.#wake();
    signal.addEventListener('abort', wake);
    try {
      while (!signal.aborted && (await this.#step())) {
        if (!signal.aborted) await this.#pause();
      }
    } finally {
      signal.removeEventListener('abort', wake);
      this.#isEnding = true;
      const stopping = setTimeout(() => this.#cancel(), STOP_MS);
      await Promise.all(this.#underWay);
      clearTimeout(stopping);
      await this.#flush().finally(() => {
        for (const sender of this.#senders) sender.close();
      });
    }
  }

  /**
   * Stores, takes and sends. False: the endpoint is paused or removed. An outage of the database does not end the run,
   * because the results that are not stored yet would be lost with it.
   */
  async #step(): Promise<boolean> {
    if (this.#fault) throw this.#fault.error;
    try {
      if (!(await this.#load())) return false;
      await this.#take();
      this.#launch();
      if (this.#isFlushDue()) await this.#flush();
      this.#isAway = false;
    } catch (error) {
      if (failureOf(error) === 'unexpected') throw error;
      if (!this.#isAway)
        this.#services.log.warn({ err: error, webhook: this.#id }, 'webhooks were not delivered');
      this.#isAway = true;
      this.#feedCanWait = true;
    }
    return true;
  }

  #cancel(): void {
    this.#isCancelled = true;
    for (const sender of this.#senders) sender.cancel();
  }

  /** Waits until there is something to store or take. Requests do not wait for this: they start when others end. */
  async #pause(): Promise<void> {
    if (!this.#feedCanWait && this.#mayTake()) return;
    const isBusy = this.#underWay.size > 0 || this.#attempts.length > 0;
    const waiting = new AbortController();
    this.#wake = () => waiting.abort();
    await sleep(isBusy ? FLUSH_MS : IDLE_MS, undefined, { signal: waiting.signal }).catch(() => {});
    this.#wake = () => {};
  }

  /** Reads the endpoint's current settings. False: it is paused or removed. */
  async #load(): Promise<boolean> {
    if (performance.now() - this.#loadedAt < RELOAD_MS && this.#sender) return true;
    await this.#flush();
    const [webhook, now] = await reading(this.#services.pool, (tx) =>
      Promise.all([findWebhook(tx, this.#id), readNow(tx)]),
    );
    this.#clock_ms = now.getTime() - performance.now();
    if (webhook?.is_active !== true) return false;
    this.#loadedAt = performance.now();
    this.#health.load(webhook);
    if (await this.#pauseIfDead(webhook)) return false;
    const before = this.#sender;
    if (before && !isChanged(before.webhook, webhook)) return true;
    const { pool, sealer, formatTimestamp, config } = this.#services;
    const sender = await WebhookSender.open(pool, webhook, {
      sealer,
      formatTimestamp,
      allowPrivate: config.allow_private_channel_urls,
      connections_max: REQUESTS_MAX,
    });
    this.#sender = sender;
    this.#senders.add(sender);
    if (before) void this.#retire(before);
    return true;
  }

  /** Closes an old sender after the requests in flight have ended, because they use its connections. */
  async #retire(sender: WebhookSender): Promise<void> {
    await Promise.all(this.#underWay);
    sender.close();
    this.#senders.delete(sender);
  }

  async #pauseIfDead(webhook: Webhook): Promise<boolean> {
    const reason = this.#health.pauseReason(webhook, this.#now_ms);
    if (reason === null) return false;
    await inTransaction(this.#services.pool, (tx) => pauseFailingWebhook(tx, { id: this.#id, reason }));
    this.#services.log.warn({ webhook: this.#id, reason }, 'an endpoint was paused');
    return true;
  }

  #mayTake(): boolean {
    if (this.#queues.count >= WEBHOOK_PENDING_MAX) return false;
    return this.#queues.due(this.#now_ms, FEED_EVENTS).length < FEED_EVENTS;
  }

  /** Takes deliveries that others have stored, and the next events of the feed. */
  async #take(): Promise<void> {
    const webhook = this.#sender?.webhook;
    if (!webhook || !this.#mayTake()) return;
    await this.#takeStored();
    if (!wantsOrders(webhook) || this.#queues.count >= WEBHOOK_PENDING_MAX) {
      this.#feedCanWait = true;
      return;
    }
    const isBusy = this.#meter.isBusy();
    if (isBusy && performance.now() - this.#tookAt < BUSY_TAKE_MS) {
      this.#feedCanWait = true;
      return;
    }
    const { waiting, has_more } = await inTransaction(this.#services.pool, (tx) =>
      takeFromFeed(tx, webhook, isBusy ? BUSY_FEED_EVENTS : FEED_EVENTS),
    );
    this.#tookAt = performance.now();
    this.#queues.add(waiting);
    this.#feedCanWait = isBusy || !has_more;
  }

  async #takeStored(): Promise<void> {
    const { pool } = this.#services;
    const isRescan = performance.now() - this.#scannedAt > RESCAN_MS;
    if (isRescan) this.#scannedAt = performance.now();
    const after = isRescan ? 0 : this.#queues.lastId;
    const limit = WEBHOOK_PENDING_MAX + FEED_EVENTS;
    const stored = (await reading(pool, (tx) => pendingDeliveries(tx, this.#id, after, limit))).filter(
      ({ id }) => !this.#queues.isKnown(id),
    );
    if (stored.length === 0) return;
    const subjects = await reading(pool, (tx) => readSubjects(tx, stored));
    const read_at = performance.now();
    this.#queues.add(
      stored.map((delivery) => ({ delivery, subject: subjects.get(delivery.id) ?? null, read_at })),
    );
  }

  /** Sends due deliveries, up to the limit of requests in flight. */
  #launch(): void {
    const sender = this.#sender;
    const now = this.#now_ms;
    if (!sender || this.#isEnding || !this.#health.mayBeTried(now)) return;
    for (const turn of this.#turns(now)) {
      this.#queues.begin(turn.key);
      const request = this.#send(sender, turn)
        .finally(() => {
          this.#underWay.delete(request);
          this.#launch();
          if (this.#attempts.length % WAKE_ROWS === 0) this.#wake();
        })
        .catch((error: unknown) => {
          // Ends the run, which another one follows. Unhandled, it would end the process.
          this.#fault ??= { error };
          this.#wake();
        });
      this.#underWay.add(request);
    }
  }

  #turns(now: number): Turn[] {
    const busy = this.#underWay.size;
    if (!this.#health.isDown) return busy < REQUESTS_MAX ? this.#queues.due(now, REQUESTS_MAX - busy) : [];
    const probe = busy === 0 ? this.#queues.next() : null;
    return probe ? [probe] : [];
  }

  async #send(sender: WebhookSender, { key, waiting }: Turn): Promise<void> {
    if (!(await this.#refresh(waiting))) return this.#queues.end(key, false);
    const sent = await sender.send(waiting.delivery, waiting.subject);
    // Cancelled because the run ends: not counted as an attempt.
    const isVoid = this.#isCancelled && sent.response_status === null;
    this.#queues.end(key, !isVoid && this.#note(sender.webhook, waiting.delivery, sent));
  }

  /** Reads the subject again if it is old. False: it cannot be read now. */
  async #refresh(waiting: WaitingDelivery): Promise<boolean> {
    if (performance.now() - waiting.read_at < SUBJECT_MS) return true;
    const { delivery } = waiting;
    try {
      const subjects = await reading(this.#services.pool, (tx) => readSubjects(tx, [delivery]));
      waiting.subject = subjects.get(delivery.id) ?? null;
      waiting.read_at = performance.now();
      return true;
    } catch (error) {
      this.#services.log.warn({ err: error, webhook: this.#id }, 'an event could not be read');
      await sleep(IDLE_MS);
      return false;
    }
  }

  /** Records the result of an attempt. True: the delivery needs no further attempt. */
  #note({ url }: Webhook, delivery: Delivery, sent: Sent): boolean {
    const now = this.#now_ms;
    if (this.#attempts.length === 0) this.#firstAttemptAt = performance.now();
    if (this.#health.note(url, sent.response_status, now)) this.#queues.release(new Date(now));
    const { id } = delivery;
    if (isAccepted(sent.response_status)) {
      this.#attempts.push({ id, state: 'delivered', next_attempt_at: null, ...sent });
      return true;
    }
    delivery.attempts += 1;
    const created_ms = delivery.created_at.getTime();
    const next = nextAttempt({ attempts: delivery.attempts, created_ms }, now, Math.random());
    const next_attempt_at = next === null ? null : new Date(next);
    this.#attempts.push({ id, state: next === null ? 'failed' : 'pending', next_attempt_at, ...sent });
    if (next_attempt_at) delivery.next_attempt_at = next_attempt_at;
    return next === null;
  }

  #isFlushDue(): boolean {
    if (this.#attempts.length === 0) return false;
    return this.#attempts.length >= FLUSH_ROWS || performance.now() - this.#firstAttemptAt >= FLUSH_MS;
  }

  /** Stores the results of the attempts and the health of the endpoint. */
  async #flush(): Promise<void> {
    const health = this.#health.take();
    if (!health && this.#attempts.length === 0) return;
    // They stay noted until they are stored: deliveries whose results are lost are sent again.
    const attempts = [...this.#attempts];
    try {
      await inTransaction(this.#services.pool, async (tx) => {
        // The endpoint first, as everywhere: its removal locks it and then deletes the deliveries.
        if (health) await setWebhookHealth(tx, this.#id, health);
        await recordAttempts(tx, attempts);
        if (health?.isBack === true) await releaseDeliveries(tx, this.#id);
      });
    } catch (error) {
      if (health) this.#health.untake(health);
      throw error;
    }
    this.#attempts.splice(0, attempts.length);
    this.#firstAttemptAt = performance.now();
    for (const { id, state } of attempts) if (state !== 'pending') this.#queues.forget(id);
  }
}

/** Whether settings or secrets have changed that a sender uses. */
function isChanged(before: Webhook, now: Webhook): boolean {
  const facts = ({ url, events, include_personal_data, secret_id, previous_secret_expires_at }: Webhook) =>
    JSON.stringify([url, events, include_personal_data, secret_id, previous_secret_expires_at]);
  return facts(before) !== facts(now);
}
