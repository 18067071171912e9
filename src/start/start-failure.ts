// Why the service cannot start, for the operator.
import { ConfigError } from '../platform/config/config.ts';
import { DatabaseUnavailable, failureOf, sqlState } from '../platform/database/failures.ts';
import { EmbeddedStartError } from '../platform/embedded-postgres/server.ts';
import { healthMessage } from '../platform/database/health.ts';
import { MigrationError } from '../platform/database/migrations.ts';
import { UnsupportedServer } from '../platform/database/server-version.ts';
import { systemError } from '../platform/log/system-error.ts';
import { WorkerStartError } from '../platform/supervisor/worker.ts';

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
