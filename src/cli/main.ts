// Finds and runs the command; every result becomes a message and an exit code.
import { VERSION } from '../version.ts';
import { backupCommand } from './backup.ts';
import { channelPolicyCommands } from './channel-policy.ts';
import { channelCommands } from './channel.ts';
import { compareCommand } from './compare/compare.ts';
import { closest, readArgs, UsageError, type Command } from './command.ts';
import { eraseCommand } from './erase.ts';
import { explain } from './failures.ts';
import { helpOf, overview } from './help.ts';
import { importCommands } from './import.ts';
import { migrateCommand } from './migrate.ts';
import { note, print } from './output.ts';
import { databaseCommands } from './outside.ts';
import { reconcileCommand } from './reconcile.ts';
import { restoreCommand } from './restore.ts';
import { secretCommands } from './secret.ts';
import { seedCommand } from './seed.ts';
import { serveCommand } from './serve.ts';
import { tokenCommands } from './token.ts';
import { userCommands } from './user.ts';

const COMMANDS: readonly Command[] = [
  serveCommand,
  migrateCommand,
  ...channelCommands,
  ...channelPolicyCommands,
  ...tokenCommands,
  ...userCommands,
  ...secretCommands,
  ...importCommands,
  seedCommand,
  eraseCommand,
  reconcileCommand,
  compareCommand,
  backupCommand,
  restoreCommand,
  ...databaseCommands,
];

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

async function dispatch(argv: readonly string[]): Promise<number> {
  const [first = '--help', second = ''] = argv;
  if (first === '--version' || first === '-v') return say(VERSION);
  if (first === '--help' || first === '-h' || first === 'help') return say(overview(COMMANDS).trimEnd());
  const command = COMMANDS.find(({ name }) => name === first || name === `${first} ${second}`);
  if (!command) return say(groupHelp(first, second));
  const args = readArgs(command, argv.slice(command.name.split(' ').length));
  if (args === null) return say(helpOf(command).trimEnd());
  return (await command.run(args)) ?? 0;
}

function say(text: string): number {
  print(text);
  return 0;
}

/** `sluice channel --help` shows the help of the group; anything else is an unknown command. */
function groupHelp(first: string, second: string): string {
  const group = COMMANDS.filter(({ name }) => name.startsWith(`${first} `));
  if (group.length === 0)
    throw unknownCommand(
      first,
      COMMANDS.map(({ name }) => name.split(' ')[0] ?? ''),
    );
  if (second === '--help' || second === '-h') return group.map(helpOf).join('\n').trimEnd();
  const actions = group.map(({ name }) => name);
  if (second !== '' && !second.startsWith('-')) throw unknownCommand(`${first} ${second}`, actions);
  throw new UsageError(`"sluice ${first}" needs one more word.`, `One of: ${actions.join(', ')}.`);
}

function unknownCommand(given: string, names: readonly string[]): UsageError {
  const meant = closest(given, names);
  const hint =
    meant === null ? 'See "sluice --help".' : `Did you mean "sluice ${meant}"? See "sluice --help".`;
  return new UsageError(
    given.startsWith('-') ? `Unknown option ${given}.` : `Unknown command "${given}".`,
    hint,
  );
}

/** Never throws. */
export async function runCli(argv: readonly string[]): Promise<number> {
  try {
    return await dispatch(argv);
  } catch (error) {
    const usage = error instanceof UsageError;
    note(usage ? `${error.message} ${error.hint}` : explain(error));
    return usage ? EXIT_USAGE : EXIT_FAILED;
  }
}
