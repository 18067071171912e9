// codes.csv: common codes, such as couriers, added or changed by group and code.
import { isDeepStrictEqual } from 'node:util';
import { aliasesIn } from '../rules/couriers.ts';
import { HTTP_URL_CHARACTERS_MAX } from '../../platform/values/http-url.ts';
import { checkTrackingUrl } from '../rules/tracking-link.ts';
import { findCommonCodes, lockCommonCodes, upsertCommonCodes, type GroupedCode } from './store.ts';
import type { Tx } from '../../platform/database/database.ts';
import {
  CODE_ALIASES_MAX,
  CODE_CHARACTERS_MAX,
  NAME_CHARACTERS_MAX,
} from '../../platform/values/text-limits.ts';
import type { CsvRow } from '../../platform/csv/csv.ts';
import { RowReader, SeenKeys, textFault } from '../../platform/csv/fields.ts';
import { inChunks, lookUp, type Import, type Plan, type Progress } from '../imports/plan.ts';
import type { OfferedImport } from '../imports/offered.ts';

/** undefined: the file has no such column, and stored values are kept. */
interface CodeRow extends Omit<GroupedCode, 'tracking_url' | 'aliases'> {
  tracking_url: string | null | undefined;
  aliases: string[] | undefined;
}

const ALIASES_CHARACTERS_MAX = CODE_ALIASES_MAX * (NAME_CHARACTERS_MAX + 2);

const stateOf = ({ name, tracking_url, aliases }: GroupedCode) => ({ name, tracking_url, aliases });
const keyOf = ({ code_group, code }: Pick<GroupedCode, 'code_group' | 'code'>): string =>
  JSON.stringify([code_group, code]);

function importCodes(): Import {
  const list: CodeRow[] = [];
  const seen = new SeenKeys();
  return {
    what: 'codes',
    shape: { required: ['group', 'code', 'name'], optional: ['tracking_url', 'aliases'] },
    read(row, problems) {
      const reader = new RowReader(row, problems);
      const code = readCode(reader, row);
      const first_line = reader.ok ? seen.earlier(keyOf(code), row.line) : null;
      if (first_line !== null) reader.fail({ kind: 'common_code_repeated', code: code.code, first_line });
      if (reader.ok) list.push(code);
    },
    lock: lockCommonCodes,
    plan: (tx, _problems, progress) => planCodes(tx, list, progress),
  };
}

export const codesImport: OfferedImport = {
  name: 'codes',
  command: {
    summary: 'add or change common codes, such as couriers, from a CSV file',
    about: [
      'Columns: group,code,name[,tracking_url,aliases]. Couriers are the group DELIVERY_COMPANY.',
      'Aliases are separated by commas, in quotes: "Hanjin,한진". Values whose column is missing stay as they are.',
      'Codes that are not in the file stay unchanged.',
    ],
    examples: ['sluice import codes couriers.csv'],
  },
  operation: {
    url: '/common-codes/import',
    tag: 'common codes',
    role: 'operator',
    summary: 'Add or change common codes from a CSV text, all or none',
    columns:
      'group,code,name[,tracking_url,aliases]. Aliases are separated by commas, in quotes. Values whose column is missing stay as they are.',
  },
  make: importCodes,
};

function readCode(reader: RowReader, row: CsvRow): CodeRow {
  const tracking_url =
    row.values['tracking_url'] === undefined
      ? undefined
      : reader.optional('tracking_url', HTTP_URL_CHARACTERS_MAX);
  const fault = typeof tracking_url === 'string' ? checkTrackingUrl(tracking_url) : null;
  if (fault) reader.fault('tracking_url', fault);
  return {
    code_group: reader.text('group', CODE_CHARACTERS_MAX),
    code: reader.text('code', CODE_CHARACTERS_MAX),
    name: reader.text('name', NAME_CHARACTERS_MAX),
    tracking_url,
    aliases: row.values['aliases'] === undefined ? undefined : readAliases(reader),
  };
}

/** Separated by commas. Empty: the code has none. */
function readAliases(reader: RowReader): string[] {
  const aliases = aliasesIn(reader.optional('aliases', ALIASES_CHARACTERS_MAX) ?? '');
  const fault = aliases.map((alias) => textFault(alias, NAME_CHARACTERS_MAX)).find((one) => one !== null);
  if (fault) reader.fault('aliases', fault);
  if (aliases.length > CODE_ALIASES_MAX)
    reader.fault('aliases', { kind: 'too_many', elements_max: CODE_ALIASES_MAX });
  return aliases;
}

async function planCodes(tx: Tx, list: readonly CodeRow[], progress: Progress): Promise<Plan> {
  const stored = await lookUp<GroupedCode>(
    [...new Set(list.map(({ code_group }) => code_group))],
    (groups) => findCommonCodes(tx, groups),
    keyOf,
  );
  const created: GroupedCode[] = [];
  const changed: GroupedCode[] = [];
  for (const row of list) {
    const before = stored.get(keyOf(row));
    const { tracking_url = before?.tracking_url ?? null, aliases = before?.aliases ?? [] } = row;
    const wanted = { ...row, tracking_url, aliases };
    if (!before) created.push(wanted);
    else if (!isDeepStrictEqual(stateOf(before), stateOf(wanted))) changed.push(wanted);
  }
  const counts = { rows: list.length, codes_created: created.length, codes_changed: changed.length };
  return {
    counts,
    changes: created.length + changed.length > 0,
    async apply() {
      await inChunks(progress, [...created, ...changed], (chunk) => upsertCommonCodes(tx, chunk));
      return { counts };
    },
  };
}
