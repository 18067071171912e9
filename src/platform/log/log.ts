// The service's log. Errors of the database contain the affected row with customers' data, so only the listed
// properties of errors are logged.
import { pino, stdSerializers, stdTimeFunctions, type DestinationStream, type Logger } from 'pino';
import { textStream } from './log-text.ts';

/** Without `detail`, `where` and `internalQuery` of PostgreSQL errors, which contain values. */
const WRITTEN = ['type', 'message', 'stack', 'code', 'severity', 'table', 'column', 'constraint', 'routine'];

function errorFields(error: unknown): unknown {
  if (!(error instanceof Error)) return { type: typeof error };
  const all: Record<string, unknown> = stdSerializers.err(error);
  return Object.fromEntries(WRITTEN.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])));
}

export function createLogger(
  level: string,
  { stream, time = 'iso' }: { stream?: DestinationStream; time?: 'iso' | 'epoch' } = {},
): Logger {
  const timestamp = time === 'iso' ? stdTimeFunctions.isoTime : stdTimeFunctions.epochTime;
  const options = { level, timestamp, serializers: { err: errorFields } };
  if (stream !== undefined) return pino(options, stream);
  return process.stdout.isTTY ? pino(options, textStream(process.stdout)) : pino(options);
}
