// The fixtures of the requests: channels, catalogue, stock, accounts. Set up through the admin API and restored between
// lots, because valid requests rotate keys, revoke tokens and end sessions.
import { openSession } from '../../../src/platform/accounts/sessions-store.ts';
import { csrfTokenOf } from '../../../src/platform/accounts/session-cookie.ts';
import { fixtures, must } from '../../kit/fixtures.ts';
import {
  bothSides,
  startStubChannel,
  stubOption,
  stubProduct,
  type StubChannel,
} from '../../kit/stub-channel.ts';
import type { Fill } from './message.ts';
import type { Target } from './target.ts';
import { NAMES, NUMBER_BEGINNINGS } from './values.ts';

const EMAIL = 'fuzz@example.com';
const STOCK = 5_000;
const ROLES = ['admin', 'operator', 'viewer'] as const;

export class Fixtures {
  readonly #service: Target['service'];
  readonly #pool: Target['pool'];
  readonly #stub: StubChannel;
  readonly #values = new Map<string, string>();
  #restores = 0;

  private constructor({ service, pool }: Target, stub: StubChannel) {
    this.#service = service;
    this.#pool = pool;
    this.#stub = stub;
    this.#values.set('stub', stub.url);
  }

  static async create(target: Target): Promise<Fixtures> {
    const stub = await startStubChannel();
    const sides = bothSides([stubOption('-1.00', 'A1'), stubOption('-2.00', 'A2')]);
    stub.answers.set('G-1', stubProduct(sides, { is_monthly: 1 }));
    stub.answers.set('G-2', stubProduct([stubOption('', 'S-0'), stubOption('+0.50', 'A3', { hidden: 1 })]));
    stub.answers.set('G-3', '<html>login</html>');
    const made = new Fixtures(target, stub);
    await made.#setUp();
    return made;
  }

  readonly fill: Fill = (text) =>
    text.includes('{{')
      ? text.replaceAll(/\{\{([\w.]+)\}\}/g, (all, name: string) => this.#values.get(name) ?? all)
      : text;

  readonly keyOf = (channel: number): string => this.fill(`{{key.${channel}}}`);

  close(): void {
    this.#stub.close();
  }

  async #setUp(): Promise<void> {
    const make = fixtures(this.#service);
    for (const name of NAMES.channels) {
      const { api_key } = await make.channel({ name: `fuzz ${name}`, api_url: this.#stub.url });
      this.#values.set(`key.${name}`, api_key);
    }
    const [first, ...others] = NAMES.products;
    const variants = NAMES.variants.map((code) => ({ code }));
    await this.#must('POST', '/products', { code: first, name: 'Fuzz', variants }, 201);
    for (const code of others) await this.#must('POST', '/products', { code, name: code }, 201);
    for (const code of NAMES.couriers)
      await this.#must('PUT', `/common-codes/${NAMES.group}/${encodeURIComponent(code)}`, { name: code });
    await this.#must('POST', '/users', { email: EMAIL, role: 'admin' }, 201);
    await this.restore();
  }

  /** Restores the fixtures. Changes made here are recognized by their request ids. */
  async restore(): Promise<void> {
    this.#restores += 1;
    for (const [index, id] of NAMES.channels.entries()) {
      // The third channel is inactive.
      await this.#must('PATCH', `/channels/${id}`, {
        is_active: index < 2,
        country_code: ['KR', 'JP', 'US'][index],
        api_url: this.#stub.url,
      });
      await this.#must('PUT', `/channels/${id}/rate-limit`, { requests_per_minute: null });
      await this.#must('PUT', `/channels/${id}/signing`, { mode: 'off' });
      await this.#must('PUT', `/channels/${id}/limits`, {});
      const mappings = NAMES.skus.map((sku, at) => ({ sku, variant_code: NAMES.variants[at] }));
      await this.#must('PUT', `/channels/${id}/mappings`, { mappings });
      if (!(await this.#keyWorks(id)) && index < 2) {
        const { api_key } = await this.#must('POST', `/channels/${id}/rotate-key`);
        this.#values.set(`key.${id}`, String(api_key));
      }
    }
    await this.#restorePrefixes();
    // The last variant never gets a stock record.
    for (const code of NAMES.variants.slice(0, -1))
      await this.#must('PUT', `/stock/${encodeURIComponent(code)}`, { quantity: STOCK, reason: 'fuzz' });
    for (const role of ROLES) await this.#ensureToken(role);
    await this.#ensureSession();
  }

  /** Without prefixes, two channels can use the same order number, which is the specified 500 (contract 4.3.3). */
  async #restorePrefixes(): Promise<void> {
    for (const { id, order_number_prefix } of await this.#must('GET', '/channels?limit=500'))
      if (order_number_prefix !== null)
        await this.#must('PATCH', `/channels/${id}`, { order_number_prefix: null });
    if (this.#restores % 2 === 0)
      for (const id of [2, 3])
        await this.#must('PATCH', `/channels/${id}`, { order_number_prefix: NUMBER_BEGINNINGS[id - 1] });
  }

  async #keyWorks(id: string): Promise<boolean> {
    const headers = { 'x-api-key': this.keyOf(Number(id)) };
    const { status } = await fetch(`${this.#service.origin}/api/v1/inventory/x`, { headers });
    return status !== 401;
  }

  async #ensureToken(role: string): Promise<void> {
    const { status } = await this.#service.admin(
      'GET',
      '/session',
      undefined,
      this.fill(`{{token.${role}}}`),
    );
    if (status === 200) return;
    const name = `fuzz ${role} ${this.#restores}`;
    const { token } = await this.#must('POST', '/tokens', { name, role }, 201);
    this.#values.set(`token.${role}`, String(token));
  }

  /** Created in the database: sign-in over HTTP is throttled after the requests of a lot. */
  async #ensureSession(): Promise<void> {
    const { rows } = await this.#pool.query<{ id: number }>(
      `update account set is_active = true, role = 'admin', must_change_password = false where email = $1 returning id`,
      [EMAIL],
    );
    const headers = { cookie: `sluice_session=${this.#values.get('session') ?? ''}` };
    const { status } = await fetch(`${this.#service.origin}/admin/v1/session`, { headers });
    if (status === 200) return;
    const client = await this.#pool.connect();
    try {
      const { session_id } = await openSession(client, rows[0]?.id ?? 0, {
        address: '127.0.0.1',
        user_agent: null,
      });
      this.#values.set('session', session_id).set('csrf', csrfTokenOf(session_id));
    } finally {
      client.release();
    }
  }

  #must(method: string, path: string, body?: object, status = 200): Promise<any> {
    return must(this.#service.admin(method, path, body), status);
  }
}
