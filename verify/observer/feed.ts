// A polling reader of the order feed, like a warehouse system. Replaying the feed must give exactly the stored orders.
import { setTimeout as sleep } from 'node:timers/promises';
import { ADMIN_TOKEN } from '../kit/canaries.ts';
import { eventually } from '../kit/until.ts';
import type { Status } from './order-states.ts';

export interface FeedChange {
  order_number: string;
  status: Status;
  previous_status: Status | null;
}

interface Page {
  data: FeedChange[];
  next: string;
  has_more: boolean;
}

/** Small pages, so that a page often ends in the middle of one batch of changes. */
const PAGE_CHANGES = 50;
const PAUSE_MS = 50;
const ANSWER_MS_MAX = 30_000;
/** How long the service may refuse or be unavailable without load. */
const CATCH_UP_MS_MAX = 60_000;

/** The page size of a reader that starts with the first order. */
const REPLAY_PAGE_CHANGES = 500;

export class FeedReader {
  readonly #urls: readonly string[];
  readonly #page: number;
  readonly #walks = new Map<string, Status[]>();
  readonly #broken = new Set<string>();
  #since: string | null = null;
  #polls = 0;
  #isEnding = false;
  #reading: Promise<unknown> = Promise.resolve();

  /** `urls`: the processes of the service, polled in turn. */
  constructor(urls: readonly string[], page = PAGE_CHANGES) {
    this.#urls = urls;
    this.#page = page;
  }

  /** Polls until `stop`, also while the service is down. */
  start(): void {
    this.#reading = (async () => {
      while (!this.#isEnding) {
        const hasMore = await this.#poll().catch(() => false);
        if (!hasMore) await sleep(PAUSE_MS);
      }
    })();
  }

  async stop(): Promise<void> {
    this.#isEnding = true;
    await this.#reading;
    this.#isEnding = false;
  }

  /** Reads to the end of the feed while no other request is in flight. Continues polling afterwards. */
  async catchUp(): Promise<void> {
    await this.stop();
    await this.#readToEnd();
    this.start();
  }

  /** Returns another reader that has read the whole feed from the first order on. */
  async replayed(): Promise<FeedReader> {
    const reader = new FeedReader(this.#urls, REPLAY_PAGE_CHANGES);
    await reader.#readToEnd();
    return reader;
  }

  #readToEnd(): Promise<void> {
    return eventually(async () => {
      while (await this.#poll());
    }, CATCH_UP_MS_MAX);
  }

  told(changes: readonly FeedChange[]): void {
    for (const { order_number, status, previous_status } of changes) {
      const walk = this.#walks.get(order_number) ?? [];
      const last = walk.at(-1) ?? null;
      if (last !== previous_status)
        this.#broken.add(
          `the feed shows the step ${previous_status} → ${status} of order ${order_number} after ${last}.`,
        );
      this.#walks.set(order_number, [...walk, status]);
    }
  }

  /** The violations, given the stored history of every order. */
  judge(stored: ReadonlyMap<string, readonly Status[]>): string[] {
    const words = (walk: readonly Status[] | undefined): string => walk?.join(' → ') ?? 'nothing';
    const numbers = new Set([...stored.keys(), ...this.#walks.keys()]);
    const differing = [...numbers].flatMap((number) => {
      const [told, there] = [words(this.#walks.get(number)), words(stored.get(number))];
      return told === there ? [] : [`the feed shows ${told} for order ${number}, but ${there} is stored.`];
    });
    return [...this.#broken, ...differing];
  }

  /** Returns whether there is more. The position only advances with an answer; otherwise the same page is read again. */
  async #poll(): Promise<boolean> {
    const origin = this.#urls[this.#polls++ % this.#urls.length] ?? '';
    const since = this.#since === null ? '' : `&since=${encodeURIComponent(this.#since)}`;
    const answer = await fetch(`${origin}/admin/v1/orders/changes?limit=${this.#page}${since}`, {
      headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    });
    const text = await answer.text();
    if (answer.status >= 400 && answer.status < 500)
      this.#broken.add(`the feed was answered ${answer.status}: ${text.slice(0, 200)}`);
    if (answer.status !== 200) throw new Error(`GET /orders/changes was answered ${answer.status}`);
    const { data, next, has_more } = JSON.parse(text) as Page;
    this.told(data);
    this.#since = next;
    return has_more;
  }
}
