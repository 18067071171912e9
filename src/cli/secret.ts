// sluice secret …: the secret that seals stored channel keys.
import type pg from 'pg';
import type { Config } from '../config.ts';
import { inspectSeals, resealAll, type Resealed } from '../engine/sealed-keys.ts';
import type { Sealer } from '../keys.ts';
import { beginRotation, endRotation } from '../secret.ts';
import { insertAudit } from '../store/audit.ts';
import { holdSealing } from '../store/channels.ts';
import { inTransaction } from '../store/database.ts';
import { cliActor } from './actor.ts';
import { Failure, type Args, type Command } from './command.ts';
import { withSecrets } from './database.ts';
import { formatCount, plural, print, printJson } from './output.ts';
import { Progress } from './progress.ts';

const CLOSED_NAMED_MAX = 20;

export const secretCommands: readonly Command[] = [
  {
    name: 'secret rotate',
    summary: 'seal all stored channel keys with a new secret',
    about: [
      'Embedded: makes a new secret in the data directory. With SLUICE_SECRET: set the new one there and the old one in',
      'SLUICE_SECRET_PREVIOUS, restart every service with both, then run this with both. Services keep running;',
      'no channel key changes. It can be stopped at any moment and run again: it goes on where it was.',
    ],
    examples: ['sluice secret rotate'],
    run: rotate,
  },
];

async function rotate(args: Args): Promise<number> {
  const result = await withSecrets(async (pool, sealer, config) => {
    const isFile = config.secret === null;
    // Nobody seals while the file is replaced, and whoever seals afterwards finds the new one.
    if (isFile)
      await inTransaction(pool, async (tx) => {
        await holdSealing(tx);
        await beginRotation(config);
      });
    const { resealed, closed } = await reseal(pool, sealer);
    if (closed.length > 0) throw cannotOpen(closed);
    const { channels, outdated } = await inspectSeals(pool, sealer);
    if (outdated > 0) throw sealedMeanwhile(outdated);
    if (isFile) await endRotation(config);
    return { resealed, channels, ending: ending(config) };
  });
  const { resealed, channels } = result;
  if (args.json) printJson({ resealed, channels });
  else {
    const now = `${plural(channels, 'channel key is', 'channel keys are')} sealed with the present secret`;
    print(`${now}, ${formatCount(resealed)} of them anew.\n${result.ending}`);
  }
  return 0;
}

const ending = ({ secret, previous_secret }: Config): string => {
  if (secret === null) return 'The old secret is gone from the data directory.';
  if (previous_secret === null) return 'There was no SLUICE_SECRET_PREVIOUS to be dropped.';
  return 'SLUICE_SECRET_PREVIOUS can be dropped, once no service runs with the old secret any more.';
};

async function reseal(pool: pg.Pool, sealer: Sealer): Promise<Resealed> {
  const progress = new Progress();
  try {
    const done = await resealAll(pool, sealer, (rows) => progress.advance('seal', rows));
    if (done.resealed > 0) {
      const entry = { action: 'secret.rotate', subject: 'secret', before: null };
      await inTransaction(pool, (tx) =>
        insertAudit(tx, cliActor(), { ...entry, after: { resealed: done.resealed } }),
      );
    }
    return done;
  } finally {
    progress.clear();
  }
}

const sealedMeanwhile = (count: number): Failure =>
  new Failure(
    `${plural(count, 'key was', 'keys were')} sealed with another secret meanwhile: a service still runs with the old one. Restart it with both secrets and run this again.`,
  );

function cannotOpen(closed: readonly number[]): Failure {
  const named = closed.slice(0, CLOSED_NAMED_MAX).join(', ');
  const more = closed.length > CLOSED_NAMED_MAX ? ', …' : '';
  return new Failure(
    `no secret at hand opens the sealed ${closed.length === 1 ? 'key of channel' : 'keys of channels'} ${named}${more}; give the secret they were sealed with as SLUICE_SECRET_PREVIOUS, or rotate their keys, and run this again.`,
  );
}
