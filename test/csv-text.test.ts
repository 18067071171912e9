// Reading a CSV text: whatever a column holds is read as it was written, by whichever program.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { CsvRecords } from '../src/platform/csv/records.ts';
import { parseCsvText, type CsvShape } from '../src/platform/csv/csv.ts';
import { Problems } from '../src/platform/csv/problems.ts';
import { csvField, EXPORT_COLUMN } from '../src/platform/csv/cell-rules.ts';
import { isBlank } from '../src/platform/values/text-limits.ts';

const SHAPE: CsvShape = { required: ['order_number', 'sku', 'name'], optional: [] };
const awkward = fc.constantFrom(
  ...Array.from('\'"=+-@\t\r\n ,;\u{a0}\u{feff}\u{200b}\u{ff1d}\u{2212}\\aN1é가😀'),
);
const value = fc
  .oneof(
    fc.string({ unit: awkward, minLength: 1, maxLength: 8 }),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }),
    fc.constantFrom(
      "'-2001",
      "'=secret",
      ' B-1 ',
      '1E+05',
      '#N/A',
      '####',
      'NULL',
      '\\N',
      '0042',
      '1234567890123450000000',
    ),
  )
  .filter((text) => !isBlank(text));
const rows = fc.array(fc.tuple(value, value, value), { minLength: 1, maxLength: 6 });

const quoteAll = (cell: string): string => `"${cell.replaceAll('"', '""')}"`;
/** As Python writes it: blanks are not quoted. */
const quoteNeeded = (cell: string): string => (/[",\r\n]/.test(cell) ? quoteAll(cell) : cell);

async function read(text: string): Promise<Record<string, string>[]> {
  const problems = new Problems({ takesDoubtful: true });
  const found: Record<string, string>[] = [];
  await parseCsvText(text, SHAPE, 1_000, problems, ({ values }) => found.push({ ...values }));
  assert.deepEqual(problems.first(10), []);
  return found.map(({ [EXPORT_COLUMN]: _marker, ...values }) => values);
}

const asValues = (cells: readonly (readonly string[])[]): Record<string, string>[] =>
  cells.map(([order_number = '', sku = '', name = '']) => ({ order_number, sku, name }));

test('whatever a column holds, the file of any CSV writer is read as it was written', async () => {
  const writers = [quoteAll, quoteNeeded];
  await fc.assert(
    fc.asyncProperty(
      rows,
      fc.constantFrom(...writers),
      fc.constantFrom('\n', '\r\n', '\r'),
      async (cells, write, end) => {
        const text = [SHAPE.required, ...cells].map((row) => row.map(write).join(',') + end).join('');
        assert.deepEqual(await read(text), asValues(cells));
        assert.deepEqual(
          await read(`\u{feff}${text.slice(0, -end.length)}`),
          asValues(cells),
          'without the last line end',
        );
      },
    ),
  );
});

test('an export of Sluice is read as it was stored, also after a spreadsheet has omitted the empty cells', async () => {
  await fc.assert(
    fc.asyncProperty(rows, fc.boolean(), async (cells, isShort) => {
      const lines = cells.map((row) => `${row.map(csvField).join(',')}${isShort ? '' : ','}\r\n`);
      const text = `\u{feff}${SHAPE.required.join(',')},${EXPORT_COLUMN}\r\n${lines.join('')}`;
      assert.deepEqual(await read(text), asValues(cells));
    }),
  );
});

test('records do not depend on how the text is split, and have the line of their first character', () => {
  const fail = (line: number, fault: string): never => assert.fail(`${line} ${fault}`);
  fc.assert(
    fc.property(rows, fc.array(fc.nat({ max: 60 }), { maxLength: 8 }), (cells, cuts) => {
      const text = cells.map((row) => `${row.map(quoteNeeded).join(',')}\r\n`).join('\r\n');
      const found: { line: number; fields: readonly string[] }[] = [];
      const records = new CsvRecords(16_384, (record) => found.push(record), fail);
      const ends = [...cuts.toSorted((a, b) => a - b), text.length];
      for (const [index, end] of ends.entries())
        records.push(text.slice(index === 0 ? 0 : ends[index - 1], end));
      records.end();
      const breaks = (fields: readonly string[]): number =>
        fields.reduce((sum, field) => sum + field.split(/\r\n|\r|\n/).length - 1, 0);
      let line = 1;
      const expected = cells.map((fields) => {
        const record = { line, fields };
        line += 2 + breaks(fields);
        return record;
      });
      assert.deepEqual(found, expected);
    }),
  );
});

test('without the marker an apostrophe is data, and a warning names the column once', async () => {
  const problems = new Problems();
  const found: string[] = [];
  const text = "order_number,sku,name\n'-2001,'=x,' name\n'-2002,s,n\n";
  await parseCsvText(text, SHAPE, 10, problems, ({ values }) => found.push(values['order_number'] ?? ''));
  assert.deepEqual(found, ["'-2001", "'-2002"]);
  assert.deepEqual(
    problems.warnings.map(({ line, fact }) => [line, fact.kind, 'column' in fact ? fact.column : null]),
    [
      [2, 'looks_protected', 'order_number'],
      [2, 'looks_protected', 'sku'],
    ],
  );
});
