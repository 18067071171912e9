// The database of a command together with the secret that seals its keys.
import type pg from 'pg';
import { Failure } from '../cli/command.ts';
import { configWithSecret, withDatabase, type ServerOptions } from '../command-database/database.ts';
import type { Config } from '../config/config.ts';
import { systemError } from '../log/system-error.ts';
import { createSealer, type Sealer, type SecretSource } from '../secrets/keys.ts';
import type { SealedColumns } from '../secrets/sealed-column.ts';
import { openSecrets } from '../secrets/secret.ts';
import { hasSeals } from './changes.ts';

/** For commands that create channel keys. A missing SLUICE_SECRET is reported before a database is opened. */
export function withSecrets<T>(
  columns: SealedColumns,
  work: (pool: pg.Pool, sealer: Sealer, config: Config) => Promise<T>,
  options?: ServerOptions,
): Promise<T> {
  const config = configWithSecret(options);
  return withDatabase(
    async (pool) => work(pool, createSealer(await secretsOf(config, pool, columns)), config),
    options,
  );
}

export const withSealer = <T>(
  columns: SealedColumns,
  work: (pool: pg.Pool, sealer: Sealer) => Promise<T>,
  options?: ServerOptions,
): Promise<T> => withSecrets(columns, work, options);

async function secretsOf(config: Config, pool: pg.Pool, columns: SealedColumns): Promise<SecretSource> {
  try {
    return await openSecrets(config, async () => hasSeals(pool, await columns()));
  } catch (error) {
    const { code, message } = systemError(error);
    throw code === undefined ? error : new Failure(`the secret that seals channel keys: ${message}`);
  }
}
