// sluice channel …: the policy of a channel (rate limit, limits on orders, signatures).
import { LIMIT_RANGES, type ChannelLimits } from '../rules/channel-limits.ts';
import { RATE_LIMIT_MAX } from '../rules/rate-limit.ts';
import { SIGNING_MODES, type SigningMode } from '../rules/signature.ts';
import { setLimits } from '../channels/limits-changes.ts';
import { addSigningSecret, removeSigningSecret, setRateLimit, setSigningMode } from './changes.ts';
import { changeIn, RefusedCommand, runChange } from '../../platform/command-database/change.ts';
import { UsageError, type Args, type CliCommand, type Program } from '../../platform/cli/command.ts';
import { withSealer } from '../../platform/sealed-values/with-sealer.ts';
import { readId } from '../../platform/cli/ids.ts';
import { formatCount, plural, print, printJson } from '../../platform/cli/output.ts';

const ID = { name: 'ID', help: 'the channel; see "sluice channel list"' };

export const channelPolicyCommands: readonly CliCommand[] = [
  {
    name: 'channel rate-limit',
    summary: 'set or remove the rate limit of a channel',
    operands: [ID],
    options: {
      'per-minute': { value: 'N', help: 'requests per minute; without it there is no limit' },
      burst: { value: 'N', help: 'burst size; required with --per-minute' },
    },
    about: [
      'All processes share the limit. While the database is unavailable, each process counts separately.',
    ],
    examples: ['sluice channel rate-limit 1 --per-minute 600 --burst 50', 'sluice channel rate-limit 1'],
    run: limit,
  },
  {
    name: 'channel limits',
    summary: 'set or remove the limits of a channel on its orders',
    operands: [ID],
    options: {
      line: { value: 'N', help: 'the largest quantity of one line' },
      unpaid: { value: 'N', help: 'how much of an item unpaid orders may hold together' },
      'unpaid-percent': {
        value: 'N',
        help: 'the same in percent of the stock of the item that is not pre-allocated',
      },
      backordered: { value: 'N', help: 'open backorders of an item without a quota' },
    },
    about: [
      'Orders beyond a limit are refused (422, Sluice-Error: limit_exceeded). A limit that is left out is removed.',
    ],
    examples: ['sluice channel limits 1 --line 100 --unpaid-percent 20', 'sluice channel limits 1'],
    run: limits,
  },
  {
    name: 'channel signing',
    summary: 'set whether requests of a channel may or must be signed',
    operands: [ID, { name: 'MODE', help: SIGNING_MODES.join(', ') }],
    about: [
      'off: signatures are ignored. accepted: a signature must be valid if sent. required: every request must be signed,',
      'which requires a signing secret.',
    ],
    examples: ['sluice channel signing 1 accepted'],
    run: sign,
  },
  {
    name: 'channel add-signing-secret',
    summary: 'create a signing secret for a channel and print it once',
    operands: [ID],
    about: ['Two can be valid at a time, for rotation.'],
    examples: ['sluice channel add-signing-secret 1'],
    run: addSecret,
  },
  {
    name: 'channel remove-signing-secret',
    summary: 'remove a signing secret of a channel',
    operands: [ID, { name: 'SECRET', help: 'its number; see "sluice channel list --json"' }],
    about: ['Requests signed with it are refused immediately.'],
    examples: ['sluice channel remove-signing-secret 1 3'],
    run: removeSecret,
  },
];

async function limit(args: Args): Promise<number> {
  const id = readId(args.operand(0), 'ID');
  const requests_per_minute = readCount(args, 'per-minute');
  const burst = readCount(args, 'burst');
  if ((requests_per_minute === null) !== (burst === null))
    throw new UsageError(
      '--per-minute and --burst must be used together.',
      'See "sluice channel rate-limit --help".',
    );
  const wanted = requests_per_minute === null || burst === null ? null : { requests_per_minute, burst };
  const { channel } = await runChange((tx, by) => setRateLimit(tx, by, { channel_id: id, limit: wanted }));
  if (args.json) printJson(channel);
  else if (wanted === null) print(`Channel ${id} "${channel.name}" has no rate limit.`);
  else {
    const rate = plural(wanted.requests_per_minute, 'request');
    print(`Channel ${id} "${channel.name}": ${rate} a minute, ${formatCount(wanted.burst)} at once.`);
  }
  return 0;
}

async function limits(args: Args): Promise<number> {
  const channel_id = readId(args.operand(0), 'ID');
  const wanted: ChannelLimits = {
    line_quantity_max: readLimit(args, 'line', LIMIT_RANGES.line_quantity_max),
    unpaid_quantity_max: readLimit(args, 'unpaid', LIMIT_RANGES.unpaid_quantity_max),
    unpaid_percent_max: readLimit(args, 'unpaid-percent', LIMIT_RANGES.unpaid_percent_max),
    backordered_quantity_max: readLimit(args, 'backordered', LIMIT_RANGES.backordered_quantity_max),
  };
  const { channel } = await runChange((tx, by) => setLimits(tx, by, { channel_id, limits: wanted }));
  const set = Object.entries(wanted).flatMap(([name, n]) =>
    n === null ? [] : [`${name} ${formatCount(n)}`],
  );
  if (args.json) printJson(wanted);
  else print(`Channel ${channel_id} "${channel.name}": ${set.length > 0 ? set.join(', ') : 'no limits'}.`);
  return 0;
}

function readLimit(args: Args, option: string, range: { minimum: number; maximum: number }): number | null {
  const text = args.text(option);
  if (text === null) return null;
  const count = Number(text);
  if (!/^\d{1,10}$/.test(text) || count < range.minimum || count > range.maximum)
    throw new UsageError(
      `--${option} must be a whole number from ${range.minimum} to ${range.maximum}, not "${text}".`,
      'See "sluice channel limits --help".',
    );
  return count;
}

async function sign(args: Args): Promise<number> {
  const id = readId(args.operand(0), 'ID');
  const mode = readMode(args.operand(1));
  const { channel } = await runChange((tx, by) => setSigningMode(tx, by, { channel_id: id, mode }));
  if (args.json) printJson(channel);
  else print(`Channel ${id} "${channel.name}": signing is ${mode}.`);
  return 0;
}

async function addSecret(args: Args, { sealedColumns }: Program): Promise<number> {
  const id = readId(args.operand(0), 'ID');
  const { made } = await withSealer(sealedColumns, (pool, sealer) =>
    changeIn(pool, (tx, by) => addSigningSecret(tx, by, { sealer, channel_id: id })),
  );
  if (args.json) printJson(made);
  else
    print(
      `Channel ${id} has the signing secret ${made.id}.\nSigning secret (shown only now): ${made.secret}`,
    );
  return 0;
}

async function removeSecret(args: Args): Promise<number> {
  const id = readId(args.operand(0), 'ID');
  const secret = args.operand(1);
  const signing_secret_id = Number(secret);
  if (!/^\d{1,9}$/.test(secret))
    throw new RefusedCommand({ kind: 'signing_secret_unknown', channel_id: id, signing_secret_id: secret });
  const wanted = { channel_id: id, signing_secret_id };
  const { channel } = await runChange((tx, by) => removeSigningSecret(tx, by, wanted));
  if (args.json) printJson(channel);
  else print(`The signing secret ${signing_secret_id} of channel ${id} "${channel.name}" was removed.`);
  return 0;
}

function readCount(args: Args, option: string): number | null {
  const text = args.text(option);
  if (text === null) return null;
  const count = Number(text);
  if (!/^\d{1,9}$/.test(text) || count < 1 || count > RATE_LIMIT_MAX)
    throw new UsageError(
      `--${option} must be a whole number from 1 to ${RATE_LIMIT_MAX}, not "${text}".`,
      'See "sluice channel rate-limit --help".',
    );
  return count;
}

function readMode(text: string): SigningMode {
  const mode = SIGNING_MODES.find((known) => known === text);
  if (mode === undefined)
    throw new UsageError(
      `MODE must be one of ${SIGNING_MODES.join(', ')}, not "${text}".`,
      'See "sluice channel signing --help".',
    );
  return mode;
}
