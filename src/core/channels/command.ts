// sluice channel …: channels and their API keys, which are shown once.
import { endPreviousKey, OVERLAP_SECONDS_MAX, rotateKey } from './keys-changes.ts';
import { changeChannel, createChannel as create } from './changes.ts';
import { textFault } from '../../platform/csv/fields.ts';
import {
  NAME_CHARACTERS_MAX,
  ORDER_NUMBER_PREFIX_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import { checkApiUrl } from './api-url.ts';
import { readCountryCode } from '../rules/currency.ts';
import { listChannels, type Channel } from './store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { reading } from '../../platform/database/transactions.ts';
import { faultSentence } from '../../platform/values/field-fault-words.ts';
import { changeIn, runChange } from '../../platform/command-database/change.ts';
import { UsageError, type Args, type CliCommand, type Program } from '../../platform/cli/command.ts';
import { withDatabase } from '../../platform/command-database/database.ts';
import { withSealer } from '../../platform/sealed-values/with-sealer.ts';
import { readId } from '../../platform/cli/ids.ts';
import { minute, print, printJson, table } from '../../platform/cli/output.ts';

const LIST_PAGE_ROWS = 500;
const LIST_HEADER = [
  'ID',
  'NAME',
  'COUNTRY',
  'CURRENCY',
  'ACTIVE',
  'PREFIX',
  'CREATED',
  'KEY LAST USED',
  'OLD KEY UNTIL',
  'API URL',
];

export const channelCommands: readonly CliCommand[] = [
  {
    name: 'channel create',
    summary: 'create a sales channel and print its API key once',
    options: {
      name: {
        value: 'NAME',
        required: true,
        help: `its name, at most ${NAME_CHARACTERS_MAX} characters`,
      },
      country: { value: 'CODE', help: 'two letters, e.g. KR, JP, US: determines the currency (unset: KRW)' },
      'api-url': { value: 'URL', help: "the channel's own product-information address" },
      'order-number-prefix': {
        value: 'TEXT',
        help: 'required prefix of its order numbers (unset: none)',
      },
      inactive: { help: 'its key is rejected until the channel is activated' },
    },
    about: [
      'The key is stored sealed and hashed and cannot be shown again; "sluice channel rotate" creates a new one.',
    ],
    examples: ['sluice channel create --name "Tokyo shop" --country JP'],
    run: createChannel,
  },
  {
    name: 'channel list',
    summary: 'list the sales channels',
    examples: ['sluice channel list'],
    run: showChannels,
  },
  {
    name: 'channel prefix',
    summary: 'set or remove the required prefix of order numbers',
    operands: [{ name: 'ID', help: 'the channel; see "sluice channel list"' }],
    options: {
      set: {
        value: 'TEXT',
        help: `at most ${ORDER_NUMBER_PREFIX_CHARACTERS_MAX} characters; without it any order number is accepted`,
      },
    },
    about: [
      'Orders whose number does not start with it are refused (422), resends of older orders too. Status reports are not.',
      'Orders of other channels whose number starts with it are refused too. A prefix belongs to one channel.',
    ],
    examples: ['sluice channel prefix 1 --set TYO-', 'sluice channel prefix 1'],
    run: setPrefix,
  },
  {
    name: 'channel rotate',
    summary: 'create a new API key for a channel and print it once',
    operands: [{ name: 'ID', help: 'the channel; see "sluice channel list"' }],
    options: {
      overlap: {
        value: 'SECONDS',
        help: 'how long the old key stays valid, at most 30 days (default: 0)',
      },
    },
    about: [
      'The old key is revoked immediately, or after --overlap SECONDS; "sluice channel end-previous-key" revokes it',
      'earlier. A key that was replaced before that one is revoked in any case.',
    ],
    examples: ['sluice channel rotate 1', 'sluice channel rotate 1 --overlap 86400'],
    run: rotateChannel,
  },
  {
    name: 'channel end-previous-key',
    summary: 'revoke the old key of a channel that was rotated with --overlap',
    operands: [{ name: 'ID', help: 'the channel; see "sluice channel list"' }],
    examples: ['sluice channel end-previous-key 1'],
    run: endPrevious,
  },
];

async function createChannel(args: Args, { sealedColumns }: Program): Promise<number> {
  const fields = {
    name: readName(args),
    country_code: readCountry(args.text('country')),
    api_url: readApiUrl(args.text('api-url')),
    order_number_prefix: readPrefix(args, 'create', 'order-number-prefix'),
    is_active: !args.flag('inactive'),
  };
  const { channel, api_key } = await withSealer(sealedColumns, (pool, sealer) =>
    changeIn(pool, (tx, by) => create(tx, by, { sealer, fields })),
  );
  showKey(args, channel, api_key, `Channel ${channel.id} "${channel.name}" was created.`);
  return 0;
}

function showKey(args: Args, channel: Channel, api_key: string, text: string): void {
  if (args.json) printJson({ ...channel, api_key });
  else print(`${text}\nAPI key (shown only now): ${api_key}`);
}

async function showChannels(args: Args): Promise<number> {
  const channels = await withDatabase((pool) => reading(pool, allChannels));
  if (args.json) printJson(channels);
  else if (channels.length === 0) print('There are no channels yet; "sluice channel create" creates one.');
  else {
    const lines = channels.map((channel) => [
      String(channel.id),
      channel.name,
      channel.country_code ?? '-',
      channel.currency_code,
      channel.is_active ? 'yes' : 'no',
      channel.order_number_prefix ?? '-',
      channel.created_at.toISOString().slice(0, 10),
      channel.key_last_used_at ? minute(channel.key_last_used_at) : 'never',
      channel.previous_key_valid_until ? minute(channel.previous_key_valid_until) : '-',
      channel.api_url ?? '-',
    ]);
    print(table(LIST_HEADER, lines));
  }
  return 0;
}

async function allChannels(tx: Tx): Promise<Channel[]> {
  const all: Channel[] = [];
  for (;;) {
    const page = await listChannels(tx, all.at(-1)?.id ?? 0, null, LIST_PAGE_ROWS);
    all.push(...page);
    if (page.length < LIST_PAGE_ROWS) return all;
  }
}

async function rotateChannel(args: Args, { sealedColumns }: Program): Promise<number> {
  const channel_id = readId(args.operand(0), 'ID');
  const overlap_seconds = readOverlap(args.text('overlap'));
  const { channel, api_key } = await withSealer(sealedColumns, (pool, sealer) =>
    changeIn(pool, (tx, by) => rotateKey(tx, by, { sealer, channel_id, overlap_seconds })),
  );
  const until = channel.previous_key_valid_until;
  const old = until ? `the old one is valid until ${minute(until)}` : 'the old one is revoked';
  showKey(args, channel, api_key, `Channel ${channel_id} "${channel.name}" has a new key; ${old}.`);
  return 0;
}

async function endPrevious(args: Args): Promise<number> {
  const id = readId(args.operand(0), 'ID');
  const { channel } = await runChange((tx, by) => endPreviousKey(tx, by, id));
  if (args.json) printJson(channel);
  else print(`The old key of channel ${id} "${channel.name}" is revoked.`);
  return 0;
}

async function setPrefix(args: Args): Promise<number> {
  const id = readId(args.operand(0), 'ID');
  const prefix = readPrefix(args, 'prefix', 'set');
  const wanted = { channel_id: id, order_number_prefix: prefix };
  const { channel } = await runChange((tx, by) => changeChannel(tx, by, wanted));
  if (args.json) printJson(channel);
  else if (prefix === null) print(`Channel ${id} "${channel.name}" accepts any order number.`);
  else print(`Channel ${id} "${channel.name}": order numbers must start with ${prefix}`);
  return 0;
}

function readPrefix(args: Args, command: string, option: string): string | null {
  const text = args.text(option);
  const fault = textFault(text ?? '', ORDER_NUMBER_PREFIX_CHARACTERS_MAX);
  if (fault !== null)
    throw new UsageError(faultSentence(`--${option}`, fault), `See "sluice channel ${command} --help".`);
  return text;
}

function readOverlap(text: string | null): number {
  const seconds = text === null ? 0 : Number(text);
  if (text !== null && (!/^\d{1,9}$/.test(text) || seconds > OVERLAP_SECONDS_MAX)) {
    throw new UsageError(
      `--overlap must be a whole number of seconds from 0 to ${OVERLAP_SECONDS_MAX}, not "${text}".`,
      'See "sluice channel rotate --help".',
    );
  }
  return seconds;
}

const wrongOption = (text: string): UsageError => new UsageError(text, 'See "sluice channel create --help".');

function readName(args: Args): string {
  const name = args.required('name');
  const fault = textFault(name, NAME_CHARACTERS_MAX);
  if (fault !== null) throw wrongOption(faultSentence('--name', fault));
  return name;
}

function readCountry(text: string | null): string | null {
  if (text === null) return null;
  const code = readCountryCode(text);
  if (code === null) {
    throw wrongOption(`--country must be a two-letter country code such as KR, not "${text}".`);
  }
  return code;
}

function readApiUrl(text: string | null): string | null {
  if (text === null) return null;
  const check = checkApiUrl(text);
  if (!check.ok) throw wrongOption(faultSentence('--api-url', check.fault));
  return text;
}
