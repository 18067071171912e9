// Creates the inspector's record of a forwarded request.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { hashKey } from '../../src/platform/secrets/keys.ts';
import type { Body } from './body.ts';
import { errorPageOf } from './error-pages.ts';
import { explain } from './explain.ts';
import { faultOf } from './faults.ts';
import type { House, RunningService } from './house.ts';
import { maskFor } from './mask.ts';
import type { Passed } from './passing.ts';
import type { Exchange } from './recorder.ts';

export function keyOf({ headers }: IncomingMessage): string | null {
  const key = headers['x-api-key'];
  return typeof key === 'string' ? key : null;
}

/** Requests of channels: to the API, or with a key to another path, which was probably meant for the API. */
export const isOfChannel = (request: IncomingMessage): boolean =>
  request.url?.startsWith('/api/') === true || keyOf(request) !== null;

/** The group of a key; null if no active channel has it. */
export async function groupOf(running: RunningService, key: string | null): Promise<string | null> {
  if (key === null || key === '') return null;
  const channel = await running.service.services.directory.find(key);
  return channel && hashKey(key).toString('base64');
}

export async function inspect(
  house: House,
  running: RunningService,
  request: IncomingMessage,
  { sent: tap, answer, duration_ms }: Passed,
): Promise<void> {
  if (answer === null) return;
  const api_key = keyOf(request);
  // Without the database, valid and invalid keys cannot be distinguished.
  const group = await groupOf(running, api_key).catch(() => null);
  // The request was answered before a reset, and the reset discards all records.
  if (house.running !== running) return;
  const { method = '', url = '' } = request;
  const { status, headers, body } = answer;
  const sent = tap.sent();
  const requestId = textOf(headers['x-request-id']);
  const mask = maskFor(sent.kind === 'json' ? sent.value : null, api_key);
  const path = mask.path(url);
  const answered = body.answered(headers['content-type'], headers['content-encoding']);
  const has_other_body = group !== null && hasOtherBody(house, group, sent, status);
  const answerBody = answered.kind === 'json' ? answered.value : null;
  const notes = explain(
    { method, path, status, api_key, sent, answer: answerBody, has_other_body },
    running.operations,
  );
  house.recorder.add(group, {
    at: new Date().toISOString(),
    method,
    path,
    status,
    duration_ms,
    request_id: requestId === null ? null : mask.text(requestId),
    error: errorOf(textOf(headers['sluice-error'])),
    fault: faultOf(request)?.kind ?? null,
    // All users see requests without a known key, because their sender is unknown; so their bodies are not
    // recorded.
    request_body: group === null ? null : sent.kind === 'json' ? mask.request : notShown(sent),
    answer_body: answered.kind === 'json' ? mask.answer(answered.value) : notShown(answered),
    notes: notes.map((note) => ({ ...note, text: mask.text(note.text) })),
  });
}

const textOf = (header: string | string[] | undefined): string | null =>
  typeof header === 'string' ? header : null;

function errorOf(reason: string | null): Exchange['error'] {
  const link = reason === null ? null : errorPageOf(reason);
  return reason === null || link === null ? null : { reason, link };
}

const NOT_SHOWN: Partial<Record<Body['kind'], string>> = {
  broken: 'not shown, because it is not JSON',
  not_json: 'not shown, because it is not JSON',
  too_long: 'too long to be shown',
};
const notShown = ({ kind }: Body): string | null => NOT_SHOWN[kind] ?? null;

/** Remembers the body of an order, and compares a resend with it. */
function hasOtherBody({ recorder }: House, group: string, sent: Body, status: number): boolean {
  if (sent.kind !== 'json') return false;
  const { order_number } = (sent.value ?? {}) as { order_number?: unknown };
  if (typeof order_number !== 'string') return false;
  const hash = createHash('sha256').update(JSON.stringify(sent.value)).digest('base64');
  if (status === 201) recorder.noteOrder(group, order_number, hash);
  return status === 200 && recorder.isOtherBody(group, order_number, hash);
}
