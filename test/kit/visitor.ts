// A browser client of the admin API: keeps its cookie and sends the CSRF token by default.
import assert from 'node:assert/strict';
import type { Role } from '../../src/platform/values/roles.ts';
import { makeAccount, type TestUser } from './accounts.ts';
import { PASSWORD } from '../../verify/kit/canaries.ts';
import { must, unique } from '../../verify/kit/fixtures.ts';
import { call, type HttpAnswer, type TestService } from '../../verify/kit/service.ts';

export class Visitor {
  readonly origin: string;
  cookie: string | null = null;
  /** The cookie that makes this browser a known device of the account that signed in last. */
  device: string | null = null;
  csrf: string | null = null;

  constructor(origin: string) {
    this.origin = origin;
  }

  /** A header with the value '' is omitted. */
  async call(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<HttpAnswer> {
    const cookies = [this.cookie, this.device].filter((one) => one !== null);
    const all = {
      ...(cookies.length === 0 ? {} : { cookie: cookies.join('; ') }),
      ...(this.csrf === null ? {} : { 'x-csrf-token': this.csrf }),
      ...headers,
    };
    const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
    const answer = await call(`${this.origin}/admin/v1${path}`, method, body, sent);
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      if (pair.includes('sluice_device_')) this.device = pair;
      else this.cookie = pair;
    }
    if (answer.json?.data?.csrf_token !== undefined) this.csrf = answer.json.data.csrf_token as string;
    return answer;
  }

  signIn(email: string, password: string, headers: Record<string, string> = {}): Promise<HttpAnswer> {
    return this.call('POST', '/session', { email, password }, headers);
  }
}

export { PASSWORD };

/** Created by an administrator, with a one-time password. */
export async function makeUser(service: TestService, role: string, fields: object = {}): Promise<TestUser> {
  const body = { email: `${unique('user')}@example.com`, role, ...fields };
  return (await must(service.admin('POST', '/users', body), 201)) as TestUser;
}

/** An account with this role and the password PASSWORD, signed in. */
export async function signedIn(
  service: TestService,
  role: Role,
): Promise<{ user: TestUser; visitor: Visitor }> {
  const user = await makeAccount(service, role);
  const visitor = new Visitor(service.origin);
  assert.equal((await visitor.signIn(user.email, user.password)).status, 200);
  return { user, visitor };
}
