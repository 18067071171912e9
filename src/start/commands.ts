// Finds and runs the command; every result becomes a message and an exit code.
import { closest } from '../platform/values/closest.ts';
import { VERSION } from '../platform/config/version.ts';
import { readArgs, UsageError, type CliCommand } from '../platform/cli/command.ts';
import { FEATURES } from './features.ts';
import { explain } from './failures.ts';
import { sealedColumns } from './seals.ts';
import { helpOf, overview } from '../platform/cli/help.ts';
import { note, print } from '../platform/cli/output.ts';

/**
 * Commands by their first word, in the order of the overview. A command loads only its own group: loading all groups
 * takes twice the CPU time that most commands need in total.
 */
const CORE_GROUPS: Readonly<Record<string, () => Promise<readonly CliCommand[]>>> = {
  serve: async () => [(await import('./serve-command.ts')).serveCommand],
  migrate: async () => [(await import('./migrate-command.ts')).migrateCommand],
  channel: async () => [
    ...(await import('../core/channels/command.ts')).channelCommands,
    ...(await import('../core/channel-policy/command.ts')).channelPolicyCommands,
  ],
  token: async () => (await import('../platform/accounts/tokens-command.ts')).tokenCommands,
  user: async () => (await import('../platform/accounts/command.ts')).userCommands,
  secret: async () => (await import('../platform/sealed-values/command.ts')).secretCommands,
  reconcile: async () => [(await import('../core/reconcile/command.ts')).reconcileCommand],
  database: async () => (await import('../platform/command-database/outside-command.ts')).databaseCommands,
};

const GROUPS: typeof CORE_GROUPS = Object.fromEntries(
  [CORE_GROUPS, ...FEATURES.map(({ commands = {} }) => commands)].flatMap((groups) => Object.entries(groups)),
);

const allCommands = async (): Promise<readonly CliCommand[]> =>
  (await Promise.all(Object.values(GROUPS).map((load) => load()))).flat();

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

async function dispatch(argv: readonly string[]): Promise<number> {
  const [first = '--help', second = ''] = argv;
  if (first === 'help' && second !== '') return dispatch([...argv.slice(1), '--help']);
  if (first === '--version' || first === '-v') return say(VERSION);
  if (first === '--help' || first === '-h' || first === 'help')
    return say(overview(await allCommands()).trimEnd());
  if (!Object.hasOwn(GROUPS, first)) throw unknownCommand(first, Object.keys(GROUPS));
  const group = (await GROUPS[first]?.()) ?? [];
  const command = group.find(({ name }) => name === first || name === `${first} ${second}`);
  if (!command) return say(groupHelp(group, first, second));
  const args = readArgs(command, argv.slice(command.name.split(' ').length));
  if (args === null) return say(helpOf(command).trimEnd());
  return (await command.run(args, { sealedColumns })) ?? 0;
}

function say(text: string): number {
  print(text);
  return 0;
}

/** `sluice channel --help` shows the help of the group; anything else is an unknown command. */
function groupHelp(group: readonly CliCommand[], first: string, second: string): string {
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
    note(usage ? `${error.message} ${error.hint}` : await explain(error));
    return usage ? EXIT_USAGE : EXIT_FAILED;
  }
}
