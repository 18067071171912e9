// sluice compare: compares the stock list and single lookups of the old service and this one.
import { readFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkHttpUrl } from '../../platform/values/http-url.ts';
import { systemError } from '../../platform/log/system-error.ts';
import { faultSentence } from '../../platform/values/field-fault-words.ts';
import { fromCaller } from '../../platform/cli/caller-path.ts';
import { UsageError, type Args, type CliCommand } from '../../platform/cli/command.ts';
import { formatCount, note, plural, print, printJson, table } from '../../platform/cli/output.ts';
import { ProgressLine } from '../../platform/cli/progress.ts';
import {
  compareLists,
  compareLookups,
  differenceKey,
  LIST_FIELDS,
  totalsOf,
  type Difference,
  type Totals,
} from './lists.ts';
import { CannotRead, CONCURRENCY, openSource, type StockSource } from './read.ts';

const DIFFERENCES_SHOWN_MAX = 100;
const DIFFERENCES_JSON_MAX = 10_000;
const NOTE_EVERY_LOOKUPS = 5_000;
/** Pause before differing SKUs are read again, because stock may have moved between the two reads. */
const AGAIN_AFTER_MS = 1_000;
const EXIT_DIFFERS = 1;
const EXIT_UNREADABLE = 2;
const HINT = 'See "sluice compare --help".';

export const compareCommand: CliCommand = {
  name: 'compare',
  summary: 'compare the stock that the old and the new service report to a channel',
  options: {
    old: { value: 'URL', required: true, help: 'the base address of the old service; ends in /api/v1' },
    key: { value: 'KEY', help: "the channel's API key, which both services accept" },
    'key-file': {
      value: 'FILE',
      help: 'a file with the key, or - for standard input; keeps the key out of the process list',
    },
    new: { value: 'URL', help: 'the base address of this service (default: http://127.0.0.1:$PORT/api/v1)' },
    lookups: {
      value: 'COUNT',
      help: 'number of single lookups to compare, spread over the list; or all (default)',
    },
    ignore: { value: 'FIELDS', help: `fields to ignore, separated by commas: ${LIST_FIELDS.join(', ')}` },
  },
  about: [
    'Reads GET /inventory and GET /inventory/{sku} from both services and lists the differences row by row, with totals.',
    'Both answers should come from the same moment: stop intake on both sides. If anything differs, the lists are',
    'read a second time, and only differences found both times are listed. Changes nothing. Busy services (429, 503)',
    'are asked again.',
    'Exit codes: 0 equal, 1 something differs, 2 a service could not be read or wrong usage.',
  ],
  examples: [
    'sluice compare --old https://old.example.com/api/v1 --key-file key.txt',
    'sluice compare --old http://10.0.0.5/api/v1 --key KEY --new http://127.0.0.1:8080/api/v1 --ignore product_name',
  ],
  run: runCompare,
};

interface Comparison {
  differences: Difference[];
  old: Totals;
  new: Totals;
  lookups: number;
}

async function runCompare(args: Args): Promise<number> {
  const key = await readKey(args);
  const ignored = readIgnored(args.text('ignore'));
  const limit = readLookups(args.text('lookups'));
  const before = openSource('the old service', readBase(args.required('old'), '--old'), key);
  const after = openSource('the new service', readBase(args.text('new') ?? ownBase(), '--new'), key);
  try {
    return report(args, await compare(before, after, ignored, limit));
  } catch (error) {
    if (!(error instanceof CannotRead)) throw error;
    if (args.json) printJson({ ok: false, error: error.message });
    note(error.message);
    return EXIT_UNREADABLE;
  } finally {
    before.close();
    after.close();
  }
}

async function compare(
  before: StockSource,
  after: StockSource,
  ignored: ReadonlySet<string>,
  limit: number,
): Promise<Comparison> {
  const readLists = () => Promise.all([before.list(), after.list()]);
  let [old, now] = await readLists();
  let differences = compareLists(old, now, ignored);
  if (differences.length > 0) {
    const first = new Set(differences.map(differenceKey));
    await sleep(AGAIN_AFTER_MS);
    [old, now] = await readLists();
    differences = compareLists(old, now, ignored).filter((one) => first.has(differenceKey(one)));
  }
  const skus = spread([...new Set([...old.rows.keys(), ...now.rows.keys()])].toSorted(), limit);
  const progress = new ProgressLine(NOTE_EVERY_LOOKUPS);
  const lookUp = async (sku: string): Promise<Difference[]> =>
    compareLookups(sku, ...(await Promise.all([before.lookup(sku), after.lookup(sku)])), ignored);
  await eachOf(skus, async (sku) => {
    const first = await lookUp(sku);
    progress.advance('lookups', 1);
    if (first.length === 0) return;
    const keys = new Set(first.map(differenceKey));
    differences.push(...(await lookUp(sku)).filter((one) => keys.has(differenceKey(one))));
  });
  progress.clear();
  return { differences, old: totalsOf(old), new: totalsOf(now), lookups: skus.length };
}

/** At most `limit` elements, spread evenly over the list. */
const spread = (list: readonly string[], limit: number): string[] =>
  list.length <= limit
    ? [...list]
    : Array.from({ length: limit }, (_, index) => list[Math.floor((index * list.length) / limit)] ?? '');

async function eachOf(list: readonly string[], work: (one: string) => Promise<void>): Promise<void> {
  const queue = list.values();
  const worker = async (): Promise<void> => {
    for (const one of queue) await work(one);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, worker));
}

function report(args: Args, { differences, old, new: now, lookups }: Comparison): number {
  const ok = differences.length === 0;
  const skus = new Set(differences.map(({ sku }) => sku)).size;
  if (args.json)
    printJson({
      ok,
      difference_count: differences.length,
      different_skus: skus,
      lookups,
      totals: { old, new: now },
      differences: differences.slice(0, DIFFERENCES_JSON_MAX),
    });
  else {
    if (!ok)
      print(
        table(
          ['WHERE', 'SKU', 'FIELD', 'OLD', 'NEW'],
          differences.slice(0, DIFFERENCES_SHOWN_MAX).map(lineOf),
        ),
      );
    const more = differences.length - DIFFERENCES_SHOWN_MAX;
    if (more > 0) print(`… and ${formatCount(more)} more`);
    print(table(['TOTAL', 'OLD', 'NEW'], totalLines(old, now)));
    const checked = `${plural(Math.max(old.rows, now.rows), 'row')} and ${plural(lookups, 'lookup')} compared`;
    print(
      ok
        ? `No difference: ${checked}.`
        : `${plural(differences.length, 'difference')} in ${plural(skus, 'SKU')}: ${checked}.`,
    );
  }
  return ok ? 0 : EXIT_DIFFERS;
}

const lineOf = (one: Difference): string[] => [
  one.where,
  one.sku,
  one.field,
  one.old === null ? '-' : String(one.old),
  one.new === null ? '-' : String(one.new),
];

const totalLines = (old: Totals, now: Totals): string[][] =>
  (['rows', 'quantity', 'allocated', 'available', 'reserve_remaining'] as const).map((name) => [
    name,
    formatCount(old[name]),
    formatCount(now[name]),
  ]);

async function readKey(args: Args): Promise<string> {
  const [key, file] = [args.text('key'), args.text('key-file')];
  if ((key === null) === (file === null))
    throw new UsageError('Either --key KEY or --key-file FILE is required.', HINT);
  if (file === null) return key ?? '';
  const content = file === '-' ? await readAll(process.stdin) : await readKeyFile(file);
  const text = content.trim();
  if (text === '' || /[\r\n]/.test(text))
    throw new UsageError('The key file must hold one line: the key.', HINT);
  return text;
}

const readKeyFile = (file: string): Promise<string> =>
  readFile(fromCaller(file), 'utf8').catch((error: unknown) => {
    throw new UsageError(`${file} cannot be read (${systemError(error).code}).`, HINT);
  });

function readBase(text: string, option: string): URL {
  const checked = checkHttpUrl(text);
  if (!checked.ok) throw new UsageError(faultSentence(option, checked.fault), HINT);
  return checked.url;
}

function ownBase(): string {
  const { HOST = '127.0.0.1', PORT = '8080' } = process.env;
  const isAny = HOST === '0.0.0.0' || HOST === '::' || HOST === '';
  return `http://${isAny ? '127.0.0.1' : HOST.includes(':') ? `[${HOST}]` : HOST}:${PORT}/api/v1`;
}

function readIgnored(text: string | null): ReadonlySet<string> {
  const fields = text === null ? [] : text.split(',').map((field) => field.trim());
  const unknown = fields.find((field) => !LIST_FIELDS.some((known) => known === field));
  if (unknown !== undefined)
    throw new UsageError(`--ignore must be some of ${LIST_FIELDS.join(', ')}, not "${unknown}".`, HINT);
  return new Set(fields);
}

function readLookups(text: string | null): number {
  if (text === null || text === 'all') return Number.POSITIVE_INFINITY;
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`--lookups must be "all" or a number, not "${text}".`, HINT);
  return Number(text);
}
