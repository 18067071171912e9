// sluice channel …: what a channel is held to beyond its key.
import { RATE_LIMIT_MAX } from '../domain/rate-limit.ts';
import { SIGNING_MODES, type SigningMode } from '../domain/signature.ts';
import {
  chooseSigning,
  giveSigningSecret,
  limitChannel,
  stopSigningSecret,
} from '../engine/channel-terms.ts';
import { inTransaction } from '../store/transactions.ts';
import { cliActor } from './actor.ts';
import { noChannel } from './channel.ts';
import { Failure, UsageError, type Args, type Command } from './command.ts';
import { withDatabase, withSealer } from './database.ts';
import { readId } from './ids.ts';
import { formatCount, plural, print, printJson } from './output.ts';

const ID = { name: 'ID', help: 'the channel; see "sluice channel list"' };

export const channelTermsCommands: readonly Command[] = [
  {
    name: 'channel rate-limit',
    summary: 'limit the requests of a channel, or end its limit',
    operands: [ID],
    options: {
      'per-minute': { value: 'N', help: 'requests a minute in the long run; without it there is no limit' },
      burst: { value: 'N', help: 'how many may come at once; needed with --per-minute' },
    },
    about: [
      'Each process of the service counts by itself: with several, a channel can reach as many times the limit.',
    ],
    examples: ['sluice channel rate-limit 1 --per-minute 600 --burst 50', 'sluice channel rate-limit 1'],
    run: limit,
  },
  {
    name: 'channel signing',
    summary: 'say whether the requests of a channel may or must be signed',
    operands: [ID, { name: 'MODE', help: SIGNING_MODES.join(', ') }],
    about: [
      'off: signatures are ignored. accepted: one that is given must be right. required: every request must be signed,',
      'which needs a signing secret.',
    ],
    examples: ['sluice channel signing 1 accepted'],
    run: sign,
  },
  {
    name: 'channel add-signing-secret',
    summary: 'give a channel a signing secret and print it, once',
    operands: [ID],
    about: ['Two can be live at once, to change over from one to the other.'],
    examples: ['sluice channel add-signing-secret 1'],
    run: addSecret,
  },
  {
    name: 'channel remove-signing-secret',
    summary: 'remove a signing secret of a channel',
    operands: [ID, { name: 'SECRET', help: 'its number; see "sluice channel list --json"' }],
    about: ['What is signed with it is refused at once.'],
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
      '--per-minute and --burst are given together, or neither.',
      'See "sluice channel rate-limit --help".',
    );
  const wanted = requests_per_minute === null || burst === null ? null : { requests_per_minute, burst };
  const channel = await withDatabase((pool) =>
    inTransaction(pool, (tx) => limitChannel(tx, cliActor(), id, wanted)),
  );
  if (!channel) throw noChannel(id);
  if (args.json) printJson(channel);
  else if (wanted === null) print(`Channel ${id} "${channel.name}" has no rate limit.`);
  else {
    const rate = plural(wanted.requests_per_minute, 'request');
    print(`Channel ${id} "${channel.name}": ${rate} a minute, ${formatCount(wanted.burst)} at once.`);
  }
  return 0;
}

async function sign(args: Args): Promise<number> {
  const id = readId(args.operand(0), 'ID');
  const mode = readMode(args.operand(1));
  const channel = await withDatabase((pool) =>
    inTransaction(pool, (tx) => chooseSigning(tx, cliActor(), id, mode)),
  );
  if (!channel) throw noChannel(id);
  if (typeof channel === 'string') throw new Failure(asLine(channel));
  if (args.json) printJson(channel);
  else print(`Channel ${id} "${channel.name}": signing is ${mode}.`);
  return 0;
}

async function addSecret(args: Args): Promise<number> {
  const id = readId(args.operand(0), 'ID');
  const made = await withSealer((pool, sealer) =>
    inTransaction(pool, (tx) => giveSigningSecret(tx, sealer, cliActor(), id)),
  );
  if (!made) throw noChannel(id);
  if (typeof made === 'string') throw new Failure(asLine(made));
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
  const secretId = /^\d{1,9}$/.test(secret) ? Number(secret) : 0;
  const channel = await withDatabase((pool) =>
    inTransaction(pool, (tx) => stopSigningSecret(tx, cliActor(), id, secretId)),
  );
  if (!channel) throw noChannel(id);
  if (channel === 'none') throw new Failure(`channel ${id} has no signing secret ${secret}.`);
  if ('refused' in channel) throw new Failure(asLine(channel.refused));
  if (args.json) printJson(channel);
  else print(`The signing secret ${secretId} of channel ${id} "${channel.name}" is gone.`);
  return 0;
}

/** What the admin API says as a sentence, behind "sluice: ". */
const asLine = (text: string): string => text.charAt(0).toLowerCase() + text.slice(1);

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
