// The service's log. An error of the database brings the row that it is about, with whatever a customer sent; of every
// error only what helps to find the fault is written.
import { pino, stdSerializers, type DestinationStream, type Logger } from 'pino';

/** Of a PostgreSQL error: neither `detail` nor `where` nor `internalQuery`, which hold values. */
const WRITTEN = ['type', 'message', 'stack', 'code', 'severity', 'table', 'column', 'constraint', 'routine'];

function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const all: Record<string, unknown> = stdSerializers.err(error);
  return Object.fromEntries(WRITTEN.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}

export const createLogger = (level: string, stream?: DestinationStream): Logger => {
  const options = { level, serializers: { err: errorFields } };
  return stream === undefined ? pino(options) : pino(options, stream);
};
