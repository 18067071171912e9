// sluice database …: databases that earlier versions created outside their data directory.
import { listOutside, removeOutside, type OutsideDatabase } from '../embedded-postgres/outside.ts';
import { cliActor } from '../audit/cli-actor.ts';
import { Failure, type Args, type CliCommand } from '../cli/command.ts';
import { minute, note, print, printJson, table } from '../cli/output.ts';

const BYTES_PER_MB = 1_000_000;

export const databaseCommands: readonly CliCommand[] = [
  {
    name: 'database list',
    summary: 'list embedded databases that are outside their data directory',
    about: [
      'Earlier versions, running as root in a directory that other users cannot access, put the database into',
      '/var/lib/sluice and a link to it into the data directory. They are never removed automatically.',
    ],
    examples: ['sluice database list'],
    run: list,
  },
  {
    name: 'database remove',
    summary: 'permanently delete one of the listed databases',
    about: [
      'Refused while a server runs on it. Each removal is recorded in removed.log in the same directory.',
    ],
    operands: [{ name: 'NAME', help: 'its name in "sluice database list"' }],
    options: { 'in-use': { help: 'also if its data directory still exists' } },
    examples: ['sluice database remove db-0123456789ab'],
    run: remove,
  },
];

async function list(args: Args): Promise<number> {
  const found = await listOutside();
  if (args.json) printJson(found);
  else if (found.length === 0) print('There is no database outside a data directory.');
  else
    print(table(['NAME', 'SIZE', 'POSTGRESQL', 'LAST USED', 'STATE', 'DATA DIRECTORY'], found.map(lineOf)));
  return 0;
}

const lineOf = (database: OutsideDatabase): string[] => [
  database.name,
  `${Math.ceil(database.bytes / BYTES_PER_MB)} MB`,
  database.postgres_version ?? '-',
  database.last_used === null ? '-' : minute(database.last_used),
  stateOf(database),
  database.data_dir ?? 'unknown',
];

const stateOf = ({ running, in_use }: OutsideDatabase): string => {
  if (running) return 'running';
  return in_use ? 'in use' : 'data directory missing';
};

async function remove(args: Args): Promise<number> {
  const name = args.operand(0);
  const database = (await listOutside()).find((one) => one.name === name);
  if (!database) throw new Failure(`there is no database ${name}; "sluice database list" shows all.`);
  if (database.running) throw new Failure(`a server runs on ${database.directory}; stop its service first.`);
  if (database.in_use && !args.flag('in-use')) {
    throw new Failure(
      `${name} is the database of ${database.data_dir}, which still exists. Add --in-use to delete it anyway.`,
    );
  }
  await removeOutside(database, cliActor().actor);
  note(
    `removed ${database.directory}, which belonged to ${database.data_dir ?? 'an unknown data directory'}`,
  );
  if (args.json) printJson({ removed: name });
  else print(`${name} was deleted.`);
  return 0;
}
