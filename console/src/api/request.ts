// All requests to the service: /admin/v1, same origin, with the session cookie and its CSRF token.
import { language } from '../i18n/language.ts';
import { wordsNow } from '../i18n/words.ts';
import type { AnswerTo, Body, Data, Method, Query, QueryOf, To } from './address.ts';
import { ApiError } from './error.ts';
import { refusalInKorean } from './refusals-ko.ts';
import { reached, unreached, watchSilence } from './reach.ts';
import { enter, leave, renewal, sessionNow } from './session.ts';
import type { Session } from './types.ts';
import { words } from './words.ts';

const PREFIX = '/admin/v1';

interface RequestOptions {
  query?: Query | undefined;
  body?: unknown;
  signal?: AbortSignal | undefined;
}

/** path`/products/${code}`: every value percent-encoded. For links; API paths are built by `apiPath`. */
export const path = (texts: TemplateStringsArray, ...values: (string | number)[]): string =>
  String.raw({ raw: texts }, ...values.map((value) => encodeURIComponent(value)));

function search(query: Query | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((one) => one !== undefined && one !== null && one !== '')
      .map((one) => [name, String(one)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs).toString()}`;
}

/** The URL of an answer that the browser loads itself, such as a download. */
export const address = (to: string, query?: Query): string => `${PREFIX}${to}${search(query)}`;

/** The whole answer; null for a 204. Throws ApiError. If the session has ended, waits for a new sign-in and repeats. */
export async function request<M extends Method, A extends To<M>>(
  method: M,
  to: A,
  options: RequestOptions = {},
): Promise<AnswerTo<A, M>> {
  const asked = sessionNow();
  const answer = await send(method, to, options);
  // The only unchecked use of the types of the OpenAPI document; test/openapi.test.ts checks the service against it.
  if (answer.ok) return (await bodyOf(answer)) as AnswerTo<A, M>;

  const error = await errorOf(answer, lost(method, options.body));
  // For sign-in and sign-out a 401 is the result, not the end of a session.
  const isSignInOrOut = to === '/session' || (to === '/sessions' && method === 'delete');
  if (answer.status === 401 && asked !== null && !isSignInOrOut && (await mayRepeat(asked))) {
    return request(method, to, options);
  }
  // Another tab signed in again: same cookie, new CSRF token. The token is fetched and the request repeated once.
  if (error.code === 'csrf' && asked !== null && (await hasNewToken(asked)))
    return request(method, to, options);
  if (error.code === 'password_change_required' && asked !== null) {
    enter({ ...asked, must_change_password: true });
  }
  throw error;
}

/** Only for the same user: a request must not be completed by another user. */
async function mayRepeat(asked: Session): Promise<boolean> {
  const now = sessionNow();
  // The session was already renewed while this request was in flight.
  const renewed = now !== null && now.csrf_token !== asked.csrf_token ? true : await renewal();
  return renewed && sessionNow()?.user?.id === asked.user?.id;
}

async function hasNewToken(asked: Session): Promise<boolean> {
  const answer = await send('get', '/session', {});
  if (!answer.ok) return false;
  const { data } = (await bodyOf(answer)) as { data: Session };
  if (data.user?.id !== asked.user?.id) {
    leave();
    return false;
  }
  enter(data);
  return data.csrf_token !== asked.csrf_token;
}

async function send(method: Method, to: string, { query, body, signal }: RequestOptions): Promise<Response> {
  const headers = new Headers({ accept: 'application/json' });
  const token = sessionNow()?.csrf_token;
  if (method !== 'get' && token) headers.set('x-csrf-token', token);
  const init: RequestInit = {
    method: method.toUpperCase(),
    headers,
    credentials: 'same-origin',
    cache: 'no-store',
  };
  const silence = new AbortController();
  init.signal = signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]);
  if (body !== undefined) {
    headers.set('content-type', 'application/json');
    init.body = JSON.stringify(body);
  }
  const stopWatching = watchSilence(() => silence.abort());
  try {
    const answer = await fetch(`${PREFIX}${to}${search(query)}`, init);
    reached();
    return answer;
  } catch (error) {
    if (signal?.aborted === true) throw error;
    unreached();
    throw new ApiError(0, lost(method, body));
  } finally {
    stopWatching();
  }
}

/** No answer of the service arrived. What was sent may have been done: repeating a POST could do it twice. */
function lost(method: Method, body: unknown): string {
  const w = wordsNow(words);
  const isTrial = typeof body === 'object' && body !== null && 'dry_run' in body && body.dry_run === true;
  const mayBeDone = method === 'post' && !isTrial && sessionNow() !== null && navigator.onLine;
  return mayBeDone ? w.unsure : w.unreachable;
}

async function bodyOf(answer: Response): Promise<unknown> {
  if (answer.status === 204) return null;
  try {
    return await answer.json();
  } catch {
    throw new ApiError(answer.status, wordsNow(words).unreadable(answer.status));
  }
}

/** `unanswered`: the text for the answer of a proxy that got none from the service. */
async function errorOf(answer: Response, unanswered: string): Promise<ApiError> {
  const w = wordsNow(words);
  const body = (await answer.json().catch(() => null)) as Record<string, unknown> | null;
  const own: Record<number, string> = {
    401: w.ended,
    429: w.wait,
    500: w.broken,
    502: unanswered,
    503: w.busy,
    504: unanswered,
  };
  const isKorean = language() === 'ko';
  const korean = isKorean ? (refusalInKorean(body) ?? own[answer.status]) : undefined;
  const said = korean ?? [body?.['message'], body?.['error']].find((text) => typeof text === 'string');
  return new ApiError(answer.status, said ?? own[answer.status] ?? w.unreadable(answer.status), body);
}

const dataOf = <A, M extends Method>(answer: AnswerTo<A, M>): Data<A, M> =>
  ((answer as { data?: unknown } | null)?.data ?? null) as Data<A, M>;

/** `data` of a single answer. */
export const get = async <A extends To<'get'>>(
  to: A,
  query?: QueryOf<A>,
  signal?: AbortSignal,
): Promise<Data<A, 'get'>> => dataOf<A, 'get'>(await request('get', to, { query, signal }));

/** A page of a list. */
export const getPage = <A extends To<'get'>>(
  to: A,
  query?: QueryOf<A>,
  signal?: AbortSignal,
): Promise<AnswerTo<A, 'get'>> => request('get', to, { query, signal });

/** The body is an optional parameter if it may be undefined, otherwise a required one. */
type Given<B> = undefined extends B ? [body?: B] : [body: B];

const sender =
  <M extends Method>(method: M) =>
  async <A extends To<M>>(to: A, ...[body]: Given<Body<A, M>>): Promise<Data<A, M>> =>
    dataOf<A, M>(await request(method, to, { body }));

export const post = sender('post');
export const put = sender('put');
export const patch = sender('patch');
export const del = sender('delete');
