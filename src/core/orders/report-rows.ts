// What the routes with many status reports in one request share. Each row is validated separately, passes the gate
// separately and has its own result: an invalid or refused row does not fail the request.
import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { Type, type Static, type TSchema } from '../../platform/schema/json-schema.ts';
import type { Outcome } from '../rules/commands.ts';
import type { FieldError } from '../../platform/values/field-fault.ts';
import { Overloaded } from '../../platform/queues/coalescer.ts';
import { DatabaseUnavailable } from '../../platform/database/failures.ts';
import type { StatusRequest } from '../channel-api/schemas.ts';
import { nullable } from '../../platform/schema/building-blocks.ts';
import type { BackOffice } from '../../platform/accounts/back-office.ts';
import { submit, type ToGate } from '../gate/submit.ts';
import { checkBody, compileValidator, fieldErrorsOf } from '../../platform/schema/validation.ts';
import { reportCommand } from './status-report.ts';

/** The rows of a request: their schema, and the name of the list that contains them. */
export function reportRowsOf<Row extends TSchema>(schema: Row, list: string, limits: { maxItems: number }) {
  const check = checkBody.at_first_use(schema);
  const lengths = { minItems: 1, ...limits };
  return {
    described: Type.Array(schema, lengths),
    /** Accepts every row, for the validation of the request as a whole. */
    unchecked: Type.Array(Type.Unknown(), lengths),

    isValid: (given: unknown): given is Static<Row> => check(given) === true,

    /** The faults of the row at `index`, as fields of the request. */
    faultsOf(given: unknown, index: number): FieldError[] {
      const verdict = check(given);
      if (verdict === true) return [];
      return fieldErrorsOf(
        verdict.error.map((error) => ({ ...error, instancePath: `/${list}/${index}${error.instancePath}` })),
      );
    },
  };
}

/** Validates the request as a whole by `schema`, instead of the schema in the OpenAPI document. */
export const validateBy =
  (schema: object): FastifySchemaCompiler<object> =>
  (route) =>
    compileValidator('at_first_use')({ ...route, schema });

/** The messages of an invalid row. */
export const rowErrors = (description: string) =>
  nullable<Record<string, string[]>>({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    description,
  });

/** `credential_revoked` and `unavailable` end a row, not the request. */
export type RowOutcome = Outcome | { kind: 'unavailable' };

export async function submitRow(
  services: BackOffice & ToGate,
  request: FastifyRequest,
  orderId: number,
  report: StatusRequest,
): Promise<RowOutcome> {
  try {
    return await submit(services, reportCommand(request, orderId, report), request);
  } catch (error) {
    if (error instanceof Overloaded || error instanceof DatabaseUnavailable) return { kind: 'unavailable' };
    throw error;
  }
}
