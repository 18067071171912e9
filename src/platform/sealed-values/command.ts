// sluice secret …: the secret that seals stored keys and secrets.
import type pg from 'pg';
import type { Config } from '../config/config.ts';
import { inspectSeals, resealAll, totalSeals } from './changes.ts';
import type { Sealer } from '../secrets/keys.ts';
import type { SealedColumn } from '../secrets/sealed-column.ts';
import { beginRotation, endRotation } from '../secrets/secret.ts';
import { lockSealing } from '../secrets/seal-store.ts';
import { withSecrets } from './with-sealer.ts';
import { inTransaction } from '../database/transactions.ts';
import { systemError } from '../log/system-error.ts';
import { cliActor } from '../audit/cli-actor.ts';
import { Failure, type Args, type CliCommand, type Program } from '../cli/command.ts';
import { formatCount, plural, print, printJson } from '../cli/output.ts';
import { ProgressLine } from '../cli/progress.ts';

export const secretCommands: readonly CliCommand[] = [
  {
    name: 'secret rotate',
    summary: 'seal all stored keys and secrets with a new secret',
    about: [
      'Embedded: creates a new secret in the data directory. With SLUICE_SECRET, or a file that is read-only or on several',
      'machines: set the new one there and the old one in SLUICE_SECRET_PREVIOUS, restart every service with both, then',
      'run this with both. Services keep running; none of the keys and secrets changes. It can be interrupted and run',
      'again: it continues where it stopped.',
    ],
    examples: ['sluice secret rotate'],
    run: rotate,
  },
];

async function rotate(args: Args, { sealedColumns }: Program): Promise<number> {
  const result = await withSecrets(sealedColumns, async (pool, sealer, config) => {
    const columns = await sealedColumns();
    const isFile = config.secret === null;
    // Nothing is sealed while the file is replaced, and later sealing uses the new secret.
    if (isFile)
      await inTransaction(pool, async (tx) => {
        await lockSealing(tx);
        await beginRotation(config).catch((error: unknown) => {
          throw notReplaceable(error, config);
        });
      });
    const resealed = await resealStored(pool, sealer, columns);
    const states = await inspectSeals(pool, sealer, columns);
    const { count: sealed, outdated } = totalSeals(states);
    if (outdated > 0) throw sealedMeanwhile(outdated);
    if (isFile) await endRotation(config);
    const counts = Object.fromEntries(
      states.flatMap(({ column: { counted_as }, count }) =>
        counted_as === undefined ? [] : [[counted_as, count]],
      ),
    );
    return { found: { resealed, sealed, ...counts }, ending: ending(config) };
  });
  const { found, ending: last } = result;
  if (args.json) printJson(found);
  else {
    const sealed = plural(found.sealed, 'key or secret is', 'keys and secrets are');
    print(`${sealed} sealed with the current secret, ${formatCount(found.resealed)} of them now.\n${last}`);
  }
  return 0;
}

function notReplaceable(error: unknown, { secret_file }: Config): unknown {
  const { code, syscall } = systemError(error);
  if (syscall === undefined) return error;
  return new Failure(
    `${secret_file ?? 'the secret in the data directory'} cannot be replaced (${code}). If it is read-only, or other machines have a copy of it, replace it yourself and set SLUICE_SECRET_PREVIOUS_FILE to a file with the old secret.`,
  );
}

const ending = ({ secret, secret_file, previous_secret }: Config): string => {
  if (previous_secret !== null)
    return 'SLUICE_SECRET_PREVIOUS can be removed once no service runs with the old secret.';
  if (secret_file !== null) return `The new secret is in ${secret_file}.`;
  if (secret === null) return 'The old secret is gone from the data directory.';
  return 'SLUICE_SECRET_PREVIOUS was not set.';
};

/** Returns their number; if some cannot be opened, throws after all others are done. */
async function resealStored(
  pool: pg.Pool,
  sealer: Sealer,
  columns: readonly SealedColumn[],
): Promise<number> {
  const progress = new ProgressLine();
  const onProgress = (rows: number): void => progress.advance('seal', rows);
  try {
    const { resealed, results } = await resealAll(pool, cliActor(), { sealer, columns, onProgress });
    for (const { column, closed } of results) if (closed.length > 0) throw cannotOpen(column, closed);
    return resealed;
  } finally {
    progress.clear();
  }
}

const sealedMeanwhile = (count: number): Failure =>
  new Failure(
    `${plural(count, 'key was', 'keys were')} sealed with another secret meanwhile: a service still uses the old one. Restart it with both secrets and run this again.`,
  );

function cannotOpen(
  { closed: { values, otherwise, owners } }: SealedColumn,
  closed: readonly number[],
): Failure {
  const those = owners === undefined ? 'it was' : 'they were';
  return new Failure(
    `no configured secret opens ${values(closed)}; set SLUICE_SECRET_PREVIOUS to the secret ${those} sealed with, or ${otherwise}, and run this again.`,
  );
}
