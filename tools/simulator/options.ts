// The command line of the simulator.
import {
  FLAG,
  positive,
  positiveInteger,
  readFlags,
  seedFrom,
  TEXT,
  UsageError,
} from '../../verify/kit/command-line.ts';
import { SCENARIO_NAMES, SCENARIOS, type ScenarioName } from './scenarios.ts';

export interface Target {
  /** Without a path. */
  origin: string;
  /** One for each channel; null: channels are opened with the administrator's token. */
  keys: string[] | null;
  admin_token: string | null;
}

export interface Options {
  channels: number;
  rate: number;
  seed: number;
  scenario: ScenarioName;
  ms: number;
  /** null: a service of its own, on data of its own */
  target: Target | null;
  json: string | null;
}

const CHANNELS_MAX = 50;

const about = SCENARIO_NAMES.map((name) => `  ${name.padEnd(13)} ${SCENARIOS[name].about}`).join('\n');

export const HELP = `npm run simulate -- [options]

Sales channels with customers who look, order, pay, cancel and resend; everything that comes back is checked.

  --channels N      how many at once (default 3)
  --rate R          customers a second, over all channels (default 10)
  --scenario NAME   one of those below (default calm)
  --minutes M       how long customers come (default 1); or --seconds S
  --seed S          repeats the decisions of an earlier run (default: a new one; printed)
  --url ADDRESS     a running service instead of one of its own on data of its own
  --keys K,K        with --url: the API keys of the channels to be; what others do there is allowed for
  --json FILE       writes a summary
  --help

${about}

With --url and without --keys, the administrator token in SLUICE_ADMIN_TOKEN opens channels for the run and closes them
afterwards; stock is then checked too, so nobody else should trade meanwhile.

Exit code 0: every promise was kept. 1: one was broken; each is printed in a sentence. 2: a wrong option.`;

const FLAGS = {
  channels: TEXT,
  rate: TEXT,
  scenario: TEXT,
  minutes: TEXT,
  seconds: TEXT,
  seed: TEXT,
  url: TEXT,
  keys: TEXT,
  json: TEXT,
  help: FLAG,
} as const;

/** null: help was asked for. */
export function readOptions(args: readonly string[], adminToken: string | undefined): Options | null {
  const values = readFlags(args, FLAGS);
  if (values.help) return null;
  const scenario = SCENARIO_NAMES.find((name) => name === (values.scenario ?? 'calm'));
  if (!scenario) throw new UsageError(`--scenario must be one of ${SCENARIO_NAMES.join(', ')}`);
  if (values.minutes !== undefined && values.seconds !== undefined)
    throw new UsageError('--minutes and --seconds do not go together');
  const seconds =
    values.seconds === undefined
      ? positive('--minutes', values.minutes, 1) * 60
      : positive('--seconds', values.seconds, 60);
  if (values.keys !== undefined && values.channels !== undefined)
    throw new UsageError('--channels and --keys do not go together: there is a channel for each key');
  const channels = positiveInteger('--channels', values.channels, 3);
  if (channels > CHANNELS_MAX) throw new UsageError(`--channels must be at most ${CHANNELS_MAX}`);
  return {
    channels,
    rate: positive('--rate', values.rate, 10),
    seed: seedFrom('--seed', values.seed),
    scenario,
    ms: seconds * 1000,
    target: targetOf(values.url, values.keys, adminToken),
    json: values.json ?? null,
  };
}

function targetOf(
  url: string | undefined,
  keys: string | undefined,
  adminToken: string | undefined,
): Target | null {
  if (url === undefined) {
    if (keys !== undefined) throw new UsageError('--keys needs --url');
    return null;
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError('--url must be the address of a service, such as http://127.0.0.1:8080');
  const list = keys?.split(',').filter((key) => key !== '') ?? null;
  if ((list === null || list.length === 0) && !adminToken)
    throw new UsageError('--url needs --keys, or the administrator token in SLUICE_ADMIN_TOKEN');
  return { origin: new URL(url).origin, keys: list, admin_token: adminToken ?? null };
}
