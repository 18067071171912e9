// The same fault with less: what can be left out is left out, as long as the fault stays.
import { parsed } from './document.ts';
import type { Fault } from './judge.ts';
import type { Case, Message } from './message.ts';

const TRIES_MAX = 150;
const MINIMISE_MS_MAX = 30_000;

/** `fault` null: it did not come again. */
export async function minimise(
  given: Case,
  kind: string,
  attempt: (smaller: Case) => Promise<Fault | null>,
): Promise<{ smallest: Case; fault: Fault | null }> {
  let smallest = given;
  let fault = await attempt(given);
  if (fault?.kind !== kind) return { smallest, fault: null };
  const deadline = Date.now() + MINIMISE_MS_MAX;
  let tries = 0;
  for (let isSmaller = true; isSmaller;) {
    isSmaller = false;
    for (const smaller of smallerOnes(smallest)) {
      if (++tries > TRIES_MAX || Date.now() > deadline) return { smallest, fault };
      const found = await attempt(smaller);
      if (found?.kind !== kind) continue;
      smallest = smaller;
      fault = found;
      isSmaller = true;
      break;
    }
  }
  return { smallest, fault };
}

function* smallerOnes(given: Case): Generator<Case> {
  const { messages } = given;
  if (messages.length > 1) for (const message of messages) yield { ...given, messages: [message] };
  if (given.behind !== '') yield { ...given, behind: '' };
  if (given.writes > 1) yield { ...given, writes: 1 };
  for (const [place, message] of messages.entries()) {
    for (const smaller of smallerMessages(message))
      yield { ...given, messages: messages.with(place, smaller) };
  }
}

function* smallerMessages(message: Message): Generator<Message> {
  const { headers, target, body } = message;
  for (const place of headers.keys()) yield { ...message, headers: headers.toSpliced(place, 1) };
  const [path = '', ...query] = target.split(/(?=[?&])/);
  for (const place of query.keys()) {
    const rest = query.toSpliced(place, 1).join('').replace(/^&/, '?');
    yield { ...message, target: path + rest };
  }
  if (body.length === 0) return;
  const value = parsed(body);
  for (const smaller of smallerValues(value))
    yield { ...message, body: Buffer.from(JSON.stringify(smaller)) };
  if (value !== undefined || body.length < 2) return;
  const half = Math.ceil(body.length / 2);
  yield { ...message, body: body.subarray(0, half) };
  yield { ...message, body: body.subarray(half) };
  for (const size of [64, 8, 1]) {
    for (let at = 0; at < body.length && body.length <= 40 * size; at += size)
      yield { ...message, body: Buffer.concat([body.subarray(0, at), body.subarray(at + size)]) };
  }
}

/** Less by one key, one element or half of a text, at any depth. */
function* smallerValues(value: unknown): Generator {
  if (typeof value === 'string' && value.length > 8) yield value.slice(0, value.length / 2);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    const list = value as unknown[];
    if (list.length > 4) yield list.slice(0, list.length / 2);
    for (const place of list.keys()) if (list.length <= 20) yield list.toSpliced(place, 1);
    for (const [place, inner] of list.slice(0, 20).entries())
      for (const smaller of smallerValues(inner)) yield list.with(place, smaller);
    return;
  }
  const entries = Object.entries(value);
  for (const place of entries.keys()) yield Object.fromEntries(entries.toSpliced(place, 1));
  for (const [place, [name, inner]] of entries.entries()) {
    for (const smaller of smallerValues(inner))
      yield Object.fromEntries(entries.with(place, [name, smaller]));
  }
}
