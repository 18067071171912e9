// Messages of failures. Expected ones are one line; a bug keeps its stack.
import { ImportFailed } from '../core/imports/failed.ts';
import { ConfigError } from '../platform/config/config.ts';
import { CommitUnknown, DatabaseUnavailable, failureOf } from '../platform/database/failures.ts';
import { EmbeddedStartError } from '../platform/embedded-postgres/server.ts';
import { MigrationError } from '../platform/database/migrations.ts';
import { UnsupportedServer } from '../platform/database/server-version.ts';
import { RefusedCommand } from '../platform/command-database/change.ts';
import { systemError } from '../platform/log/system-error.ts';
import { Failure } from '../platform/cli/command.ts';

const EXPECTED = [Failure, ConfigError, EmbeddedStartError, ImportFailed, MigrationError, UnsupportedServer];
/** SQLSTATE: the role of DATABASE_URL lacks a privilege. */
const INSUFFICIENT_PRIVILEGE = '42501';
const LOCK_NOT_AVAILABLE = '55P03';

export async function explain(error: unknown): Promise<string> {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof RefusedCommand)
    return error.words(await (await import('./refusals.ts')).loadRefusals());
  if (error instanceof Failure && error.cause !== undefined)
    return `${error.message}: ${await explain(error.cause)}`;
  if (EXPECTED.some((kind) => error instanceof kind)) return error.message;
  if (error instanceof CommitUnknown)
    return `the connection to the database was lost during the COMMIT, so the change was made or not; check before you repeat the command: ${reasonOf(error.cause)}`;
  if (error instanceof DatabaseUnavailable) return `${error.message}: ${reasonOf(error.cause)}`;
  if (systemError(error).code === LOCK_NOT_AVAILABLE)
    return 'another transaction holds a lock in the database; try again.';
  if (systemError(error).code === INSUFFICIENT_PRIVILEGE)
    return `the database refused: ${error.message}. With two roles, set DATABASE_MIGRATION_URL to the role that owns the schema.`;
  // Errors with a path are file errors, not connection errors.
  if (failureOf(error) === 'connection' && !('path' in error))
    return `the connection to the database failed: ${reasonOf(error)}; try again.`;
  // The stack only: the whole error could contain a URL with a password.
  return error.stack ?? error.message;
}

const reasonOf = (cause: unknown): string =>
  cause instanceof Error ? cause.message || (systemError(cause).code ?? cause.name) : String(cause);
