// Sends refusals. Both APIs use the two body shapes of contract 7.1. The machine-readable reason is in the header
// `Sluice-Error` in the channel API, whose bodies are fixed (contract 10.2), and in `code` and `details` in the admin API.
import type { FastifyReply } from 'fastify';
import type { FieldError } from '../values/field-fault.ts';
import { faultSentence } from '../values/field-fault-words.ts';
import { setReason, type TransportReason } from './reason.ts';
import { servedPath } from './served-path.ts';

export const ADMIN_API_PATH = '/admin/v1';

const isForAdmin = ({ request }: FastifyReply): boolean => servedPath(request).startsWith(ADMIN_API_PATH);

interface Refusing {
  status: number;
  reason: TransportReason;
  error: string;
  /** The code in the admin API, if it differs from the reason. */
  code?: string;
  details?: object;
}

export function refuse(reply: FastifyReply, refusing: Refusing): FastifyReply {
  const { status, reason, error, code = reason, details } = refusing;
  const facts = isForAdmin(reply) ? { code, ...(details === undefined ? {} : { details }) } : {};
  return setReason(reply, reason)
    .code(status)
    .send({ error, ...facts });
}

/** Refuses a request that failed validation. */
export const refuseForm = (reply: FastifyReply, found: readonly FieldError[]): FastifyReply =>
  setReason(reply, 'validation')
    .code(422)
    .send(isForAdmin(reply) ? withFacts(found) : validationFailureOf(found));

/** The validation shape of contract 7.1a: texts by field. */
export interface ValidationFailure {
  message: string;
  errors: Record<string, string[]>;
}

function validationFailureOf(found: readonly FieldError[]): ValidationFailure {
  // No plain object: a field may be named `__proto__`.
  const errors: Record<string, string[]> = Object.create(null);
  for (const [field, list] of Map.groupBy(found, (one) => one.field))
    errors[field] = [...new Set(list.map(({ fault }) => faultSentence(field, fault)))];
  return { message: firstAndCount(Object.values(errors).flat()), errors };
}

/** A failure with one field and one text, for checks of the channel API beyond its schemas. */
export const failureAt = (field: string, text: string): ValidationFailure => ({
  message: text,
  errors: { [field]: [text] },
});

/** The first of several texts, and how many more there are. */
export function firstAndCount(texts: readonly string[]): string {
  const more = texts.length - 1;
  const count = more === 0 ? '' : ` (and ${more} more error${more === 1 ? '' : 's'})`;
  return `${texts[0]}${count}`;
}

/** The validation shape of the admin API. `details.faults` contains the same errors as `errors`, as codes and facts. */
export const withFacts = (
  found: readonly FieldError[],
  code = 'validation',
  details: object = {},
): ValidationFailure & { code: string; details: object } => ({
  ...validationFailureOf(found),
  code,
  details: { ...details, faults: found.map(factsOf) },
});

export interface FaultOnTheWire {
  field: string;
  code: string;
  details: object;
}

const factsOf = ({ field, fault: { kind, ...details } }: FieldError): FaultOnTheWire => ({
  field,
  code: kind,
  details,
});
