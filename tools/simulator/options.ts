// The command line of the simulator.
import {
  amount,
  anyText,
  count,
  fileToWrite,
  maybe,
  oneOf,
  optionsOf,
  seed,
  UsageError,
} from '../../verify/kit/command-line.ts';
import { SCENARIO_NAMES, SCENARIOS, type ScenarioName } from './scenarios.ts';

export interface Target {
  /** The origin of the service, without a path. */
  origin: string;
  /** One per channel; null: channels are created with the administrator token. */
  keys: string[] | null;
  admin_token: string | null;
}

export interface Options {
  channels: number;
  rate: number;
  seed: number;
  scenario: ScenarioName;
  ms: number;
  /** null: start a separate service with its own data */
  target: Target | null;
  json: string | null;
}

const CHANNELS = 3;
const CHANNELS_MAX = 50;

const about = SCENARIO_NAMES.map((name) => `  ${name.padEnd(13)} ${SCENARIOS[name].about}`).join('\n');

export const HELP = `npm run simulate -- [options]

Simulates sales channels whose customers browse, order, pay, cancel and resend, and checks every response.

  --channels N      number of channels (default 3)
  --rate R          customers per second, over all channels, at usual times (default 10, black-friday 2)
  --scenario NAME   see below (default calm)
  --minutes M       duration (default 1, black-friday 1.5); or --seconds S
  --seed S          repeats the decisions of an earlier run (default: random; printed)
  --url ADDRESS     a running service instead of its own
  --keys K,K        with --url: the API keys of the channels, which must not require a prefix of order numbers or
                    signatures; changes by other clients are tolerated
  --json FILE       writes a summary
  --help

${about}

With --url and without --keys, the administrator token in SLUICE_ADMIN_TOKEN creates channels for the run and
deactivates them afterwards; stock is then checked too, so there should be no other clients.

Exit code 0: no violation. 1: violations, each printed in one sentence. 2: a wrong option, or a service with nothing
to sell. 3: the run failed, for example because the service became unavailable.`;

const read = optionsOf({
  channels: maybe(count(1)),
  rate: maybe(amount(1)),
  scenario: oneOf(SCENARIO_NAMES, 'calm'),
  minutes: maybe(amount(1)),
  seconds: maybe(amount(1)),
  seed,
  url: anyText,
  keys: anyText,
  json: fileToWrite,
});

/** Returns null for --help. */
export function readOptions(args: readonly string[], adminToken: string | undefined): Options | null {
  const given = read(args);
  if (given === null) return null;
  const { minutes, seconds, rate, channels, url, keys, ...others } = given;
  if (minutes !== null && seconds !== null)
    throw new UsageError('--minutes and --seconds cannot be combined');
  if (keys !== null && channels !== null)
    throw new UsageError('--channels and --keys cannot be combined: each key has its channel');
  if ((channels ?? 0) > CHANNELS_MAX) throw new UsageError(`--channels must be at most ${CHANNELS_MAX}`);
  return {
    ...others,
    rate: rate ?? SCENARIOS[others.scenario].rate,
    channels: channels ?? CHANNELS,
    ms: (seconds ?? (minutes === null ? SCENARIOS[others.scenario].seconds : minutes * 60)) * 1000,
    target: targetOf(url, keys, adminToken),
  };
}

function targetOf(url: string | null, keys: string | null, adminToken: string | undefined): Target | null {
  if (url === null) {
    if (keys !== null) throw new UsageError('--keys needs --url');
    return null;
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError('--url must be the address of a service, such as http://127.0.0.1:8080');
  const list = keys?.split(',').filter((key) => key !== '') ?? null;
  if ((list === null || list.length === 0) && !adminToken)
    throw new UsageError('--url needs --keys, or the administrator token in SLUICE_ADMIN_TOKEN');
  return { origin: new URL(url).origin, keys: list, admin_token: adminToken ?? null };
}
