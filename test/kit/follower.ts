// A channel that keeps a copy of the stock list: first the pages of the list, then changes.
import assert from 'node:assert/strict';
import type { ChannelCall } from '../../verify/kit/service.ts';

interface Row {
  sku: string;
  quantity: number;
}

export interface ChangesAnswer {
  data: Row[];
  removed: string[];
  changes_since: string;
  is_complete: boolean;
  has_more: boolean;
}

const FIRST_PAGE_ROWS = 3;

export class Follower {
  /** Any process of the service. */
  ask: ChannelCall;
  readonly rows = new Map<string, Row>();
  #token: string | null;
  #cursor: string | null = null;
  hasMore = false;
  /** All changes are applied, and changes were requested at least once after the pages. */
  isUpToDate = false;
  polls = 0;

  /** `token` null: starts with the pages of the list. */
  constructor(ask: ChannelCall, token: string | null) {
    this.ask = ask;
    this.#token = token;
  }

  /** Sorted like the list: by code point. */
  get list(): Row[] {
    return [...this.rows.values()].toSorted((a, b) => Buffer.compare(Buffer.from(a.sku), Buffer.from(b.sku)));
  }

  /** One request. */
  async poll(limit?: number): Promise<void> {
    this.polls += 1;
    if (this.#token === null || this.#cursor !== null) await this.#readPage(limit ?? FIRST_PAGE_ROWS);
    else await this.#readChanges(this.#token, limit);
  }

  async #readPage(limit: number): Promise<void> {
    const cursor = this.#cursor === null ? '' : `&cursor=${this.#cursor}`;
    const answer = await this.ask('GET', `/inventory?limit=${limit}${cursor}`);
    assert.equal(answer.status, 200, answer.text);
    const { data, next_cursor, changes_since } = answer.json as {
      data: Row[];
      next_cursor: string | null;
      changes_since: string;
    };
    this.#token ??= changes_since;
    assert.equal(changes_since, this.#token, 'every page has the changes_since of the first page');
    for (const row of data) this.rows.set(row.sku, row);
    this.#cursor = next_cursor;
    this.hasMore = next_cursor !== null;
  }

  async #readChanges(token: string, limit?: number): Promise<void> {
    const query = `changes_since=${token}${limit === undefined ? '' : `&limit=${limit}`}`;
    const answer = await this.ask('GET', `/inventory?${query}`);
    assert.equal(answer.status, 200, answer.text);
    const { data, removed, changes_since, is_complete, has_more } = answer.json as ChangesAnswer;
    if (is_complete) this.rows.clear();
    for (const row of data) this.rows.set(row.sku, row);
    for (const sku of removed) this.rows.delete(sku);
    this.#token = changes_since;
    this.hasMore = has_more;
    // All parts of an answer describe the moment of its first part: only a single-part answer is current.
    this.isUpToDate = !has_more && !this.#wasPart;
    this.#wasPart = has_more;
  }

  #wasPart = false;
}
