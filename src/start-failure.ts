// Why the service cannot start, for the operator.
import { ConfigError } from './config.ts';
import { DatabaseUnavailable, failureOf, sqlState } from './store/failures.ts';
import { EmbeddedStartError } from './store/embedded/server.ts';
import { healthMessage } from './store/health.ts';
import { MigrationError } from './store/migrations.ts';
import { UnsupportedServer } from './store/server-version.ts';
import { systemError } from './system-error.ts';

/** A worker could not start. The message explains why. */
export class WorkerStartError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'WorkerStartError';
  }
}

const EXPECTED = [ConfigError, EmbeddedStartError, MigrationError, UnsupportedServer, WorkerStartError];

/** Set-up errors get one clear message; other errors are bugs and keep their stack. */
export function explainFailure(error: unknown): string {
  if (error instanceof Error && EXPECTED.some((kind) => error instanceof kind)) return error.message;
  const { code, syscall, address, port } = systemError(error);
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${address} is already in use; set PORT (or SLUICE_INTERNAL_PORT) to another one.`;
  if (code === 'EACCES' && (syscall === 'listen' || syscall === 'bind'))
    return `Port ${port} on ${address} may not be opened by this user.`;
  if (code === 'EADDRNOTAVAIL')
    return `${address} is not an address of this machine; set HOST to another one.`;
  const inDatabase = error instanceof DatabaseUnavailable || sqlState(error) !== undefined;
  if (inDatabase && failureOf(error) !== 'unexpected') return healthMessage(error);
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
