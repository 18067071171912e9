// Imports write all rows or none, report every fault with its line, and write audit and ledger entries.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { cliBench, lines, ROOT } from './cli-run.ts';
import { OLD_KEY } from '../verify/kit/canaries.ts';
import { CHANGES } from '../verify/kit/fixtures.ts';
import { connect } from '../verify/kit/connection.ts';
import { until } from '../verify/kit/until.ts';

const bench = await cliBench();
const TABLES = ['product', 'variant', 'mapping', 'stock', 'stock_movement', 'audit', CHANGES];

const snapshot = async (): Promise<Record<string, number>> =>
  Object.fromEntries(await Promise.all(TABLES.map(async (table) => [table, await bench.count(table)])));

async function importText(
  args: readonly string[],
  content: string | Uint8Array,
  expected = 0,
): Promise<{ stdout: string; stderr: string; code: number | null }> {
  const [subject = '', ...options] = args;
  const path = await bench.file(`${subject}.csv`, content);
  const result = await bench.run(['import', subject, path, ...options]);
  assert.equal(result.code, expected, `${result.stdout}${result.stderr}`);
  return result;
}

const csv = (...rows: string[]): string => rows.map((row) => `${row}\n`).join('');

const newChannel = async (): Promise<string> =>
  String((await bench.ok(['channel', 'create', '--name', 'C', '--json'])).json().id);

const quantities = (prefix: string): Promise<unknown[]> =>
  bench.rows(
    `select v.code, s.quantity from stock s join variant v on v.id = s.variant_id where v.code like $1 order by 1`,
    [`${prefix}%`],
  );

test('products are created, then updated; without the column power, existing powers are kept', async () => {
  const header = 'product_code,product_name,variant_code,power';
  const text = csv(header, 'A,Lens A,A-1,-1.00', 'A,Lens A,A-2,-2.00', 'B,Case,B-1,');
  const { stdout } = await importText(['products'], text);
  assert.match(stdout, /3 rows imported.*products created: 2, variants created: 3/);
  await importText(['products'], csv(header, 'A,렌즈 A,A-1,-1.25', 'A,렌즈 A,A-3,-3.00'));
  await importText(['products'], csv('variant_code,product_code,product_name', 'A-2,A,렌즈 A'));
  const found = await bench.rows(
    `select p.name, v.code, v.power from variant v join product p on p.id = v.product_id order by v.code`,
  );
  assert.deepEqual(
    found.map(({ name, code, power }) => `${name} ${code} ${power}`),
    ['렌즈 A A-1 -1.25', '렌즈 A A-2 -2.00', '렌즈 A A-3 -3.00', 'Case B-1 null'],
  );
  const [entry] = await bench.rows(`select after from audit where action = 'import.products' order by id`);
  assert.deepEqual(entry.after, {
    file: 'products.csv',
    rows: 3,
    products_created: 2,
    products_renamed: 0,
    variants_created: 3,
    variants_updated: 0,
  });
});

test('a renamed product is journaled with all of its variants, so that channels see the new name', async () => {
  const before = await bench.count(CHANGES);
  await importText(['products'], csv('product_code,product_name,variant_code', 'A,Lens A,A-1'));
  const journal = await bench.rows(`select variant_ids from ${CHANGES}`);
  assert.equal(journal.length, before + 1);
  const ids = await bench.rows(`select id from variant where code like 'A-%' order by id`);
  assert.deepEqual(
    journal.at(-1).variant_ids.toSorted((a: number, b: number) => a - b),
    ids.map(({ id }) => id),
  );
});

test('products: every bad row is reported with its line, and nothing is written', async () => {
  const before = await snapshot();
  const { stderr, stdout } = await importText(
    ['products'],
    csv(
      'product_code,product_name,variant_code,power',
      'N,New,N-1,', // 2: good
      'N,Other name,N-2,', // 3: a different name for the same product
      'N,New,N-1,', // 4: the same variant again
      ',New,N-4,', // 5: no product
      'N,New', // 6: too few fields
      `N,${'x'.repeat(256)},N-7,`, // 7: name too long
      'N,New,A-1,', // 8: belongs to product A
      '', // 9: an empty line is ignored
      `${'가'.repeat(101)},New,N-10,`, // 10: code too long
    ),
    1,
  );
  assert.equal(stdout, '');
  assert.deepEqual(lines(stderr), [
    'sluice: line 3: product "N" is called "Other name" here and "New" on line 2.',
    'sluice: line 4: variant_code "N-1" is on line 2 already.',
    'sluice: line 5: product_code is missing.',
    'sluice: line 6: 2 fields, but the header has 4.',
    'sluice: line 7: product_name must have at most 255 characters.',
    'sluice: line 8: variant "A-1" belongs to product "A".',
    'sluice: line 10: product_code must have at most 100 characters.',
    'sluice: nothing was imported: 7 errors in the file.',
  ]);
  assert.deepEqual(await snapshot(), before);
});

test('more than 100 bad rows: the first 100 errors and the number of the others are shown', async () => {
  const rows = Array.from({ length: 250 }, (_, index) => `missing-${index},1`);
  const { stderr } = await importText(['stock'], csv('variant_code,quantity', ...rows), 1);
  const text = lines(stderr);
  assert.equal(text.length, 102);
  assert.match(text[0] ?? '', /line 2: variant "missing-0" does not exist/);
  assert.match(text[99] ?? '', /line 101:/);
  assert.match(text[100] ?? '', /and 150 more errors/);
  assert.match(text[101] ?? '', /250 errors/);
});

test('bad rows with --json: the same errors as data', async () => {
  const path = await bench.file('bad.csv', csv('variant_code,quantity', 'A-1,-1'));
  const result = await bench.run(['import', 'stock', path, '--json']);
  assert.equal(result.code, 1);
  assert.equal(result.json().ok, false);
  assert.deepEqual(result.json().errors, [
    {
      line: 2,
      column: 'quantity',
      code: 'not_a_quantity',
      details: { value: '-1', maximum: 2147483647 },
      text: 'quantity must be a whole number from 0 to 2147483647, not "-1".',
    },
  ]);
});

test('a dry run says what would change and writes nothing', async () => {
  const channel = await newChannel();
  const before = await snapshot();
  const products = csv('product_code,product_name,variant_code', 'D,Dry,D-1');
  assert.match(
    (await importText(['products', '--dry-run'], products)).stdout,
    /would be products created: 1/,
  );
  const stock = csv('variant_code,quantity', 'A-1,5');
  assert.match((await importText(['stock', '--dry-run'], stock)).stdout, /would be .*units added: 5/);
  const mappings = csv('sku,variant_code', 'S1,A-1');
  const dry = await importText(['mappings', '--channel', channel, '--dry-run'], mappings);
  assert.match(dry.stdout, /nothing written.*mappings created: 1/);
  assert.deepEqual(await snapshot(), before);
});

test('stock: sets the quantity through the ledger, creates missing rows, and is audited and journaled', async () => {
  await importText(['stock'], csv('variant_code,quantity,reason', 'A-1,10,count', 'A-2,0,', 'A-3,7,'));
  await importText(['stock'], csv('quantity,variant_code', '4,A-1', '7,A-3'));
  assert.deepEqual(await quantities('A-'), [
    { code: 'A-1', quantity: 4 },
    { code: 'A-2', quantity: 0 },
    { code: 'A-3', quantity: 7 },
  ]);
  const ledger = await bench.rows(
    `select v.code, m.delta, m.quantity_after, m.kind, m.reason, m.actor like 'cli:%' as cli
     from stock_movement m join variant v on v.id = m.variant_id order by m.id`,
  );
  assert.deepEqual(ledger, [
    { code: 'A-1', delta: 10, quantity_after: 10, kind: 'import', reason: 'count', cli: true },
    { code: 'A-3', delta: 7, quantity_after: 7, kind: 'import', reason: null, cli: true },
    { code: 'A-1', delta: -6, quantity_after: 4, kind: 'import', reason: null, cli: true },
  ]);
  const entries = await bench.rows(`select after from audit where action = 'import.stock' order by id`);
  assert.equal(entries.length, 2);
  assert.equal(entries[1].after.units_removed, 6);
  const [last] = await bench.rows(`select variant_ids from ${CHANGES} order by xid desc limit 1`);
  const [changed] = await bench.rows(`select id from variant where code = 'A-1'`);
  assert.deepEqual(last.variant_ids, [changed.id]);
  assert.equal(
    await bench.count('stock_count'),
    3,
    'each variant is recorded as counted, also the one without a change',
  );
  await bench.ok(['reconcile']);
});

test('stock: if the counts cannot be recorded, no quantity is set', async () => {
  await importText(['products'], csv('product_code,product_name,variant_code', 'COUNTED,Counted,COUNTED-1'));
  const file = csv('variant_code,quantity', 'COUNTED-1,77');
  await bench.rows('alter table stock_count add constraint broken check (false) not valid');
  await importText(['stock'], file, 1);
  assert.deepEqual(await quantities('COUNTED'), []);
  await bench.rows('alter table stock_count drop constraint broken');
  await importText(['stock'], file);
  const counts = await bench.rows(
    `select from stock_count c join variant v on v.id = c.variant_id where v.code = 'COUNTED-1'`,
  );
  assert.equal(counts.length, 1);
});

test('stock: quantities that are not 32-bit whole numbers are refused', async () => {
  const bad = ['1.5', '', 'x', '1e3', '2147483648', '+1', '99999999999999999999'];
  const text = csv('variant_code,quantity', ...bad.map((quantity) => `A-1,${quantity}`));
  const { stderr } = await importText(['stock'], text, 1);
  assert.equal(lines(stderr).length, bad.length + 1, stderr);
  for (const quantity of [2_147_483_647, 2_147_483_646, 0])
    await importText(['stock'], csv('variant_code,quantity', `A-2,${quantity}`));
});

test('mappings: added and replaced for one channel, others stay; an unknown channel or variant is refused', async () => {
  const channel = await newChannel();
  await importText(['mappings', '--channel', channel], csv('sku,variant_code', 'S1,A-1', 'S2,A-2'));
  const { stdout } = await importText(
    ['mappings', '--channel', channel],
    csv('sku,variant_code', 'S2,A-3', 'S3,A-1'),
  );
  assert.match(stdout, /mappings created: 1, mappings replaced: 1/);
  const found = await bench.rows(
    `select m.sku, v.code from mapping m join variant v on v.id = m.variant_id where channel_id = $1 order by 1`,
    [channel],
  );
  assert.deepEqual(found, [
    { sku: 'S1', code: 'A-1' },
    { sku: 'S2', code: 'A-3' },
    { sku: 'S3', code: 'A-1' },
  ]);
  const [last] = await bench.rows(`select channel_ids from ${CHANGES} order by xid desc limit 1`);
  assert.deepEqual(last.channel_ids, [Number(channel)]);

  const unknown = await importText(['mappings', '--channel', '4711'], csv('sku,variant_code', 'S1,A-1'), 1);
  assert.match(unknown.stderr, /there is no channel 4711/);
  const wrong = csv('sku,variant_code', 'S9,A-1', 'S9,A-2', 'S8,nope');
  const { stderr } = await importText(['mappings', '--channel', channel], wrong, 1);
  assert.match(stderr, /line 3: sku "S9" is on line 2 already/);
  assert.match(stderr, /line 4: variant "nope" does not exist/);
  const skus = await bench.rows('select sku from mapping where channel_id = $1', [channel]);
  assert.equal(skus.length, 3);
});

test('imports accept a BOM, CRLF, quoted line breaks and commas, and standard input; cells keep their line breaks, and lines are counted as in an editor', async () => {
  const text = [
    '\uFEFF"product_code","product_name",variant_code',
    'Q,"Two ""quoted"", words',
    'and a second line",Q-1',
    '',
    'Q2, Plain ,Q2-1',
    'Q3,,Q3-1',
    '"Q4 over',
    'two lines",,Q4-1',
    'Q5,,Q5-1',
  ].join('\r\n');
  const { stderr } = await importText(['products'], text, 1);
  assert.deepEqual(lines(stderr).slice(0, 3), [
    'sluice: line 6: product_name is missing.',
    'sluice: line 7: product_name is missing.',
    'sluice: line 9: product_name is missing.',
  ]);
  const good = text.slice(0, text.indexOf('"Q4')).replace('Q3,,', 'Q3,Three,');
  await bench.ok(['import', 'products', '-'], { input: good });
  const names = await bench.rows(`select code, name from product where code like 'Q%' order by code`);
  assert.deepEqual(names, [
    { code: 'Q', name: 'Two "quoted", words\r\nand a second line' },
    { code: 'Q2', name: ' Plain ' },
    { code: 'Q3', name: 'Three' },
  ]);
});

const REFUSED: [string, string | Uint8Array, RegExp][] = [
  ['a wrong header', csv('product,variant_code,quantity', 'x,A-1,1'), /unknown "product"/],
  ['a missing column', csv('variant_code', 'A-1'), /missing quantity.*variant_code,quantity,\[reason\]/],
  ['a duplicate column', csv('variant_code,quantity,quantity', 'A-1,1,1'), /duplicate column quantity/],
  [
    'a column without a name',
    csv('variant_code,,quantity', 'A-1,x,1'),
    /wrong columns: unknown column without a name\. It must be/,
  ],
  ['semicolons', csv('variant_code;quantity', 'A-1;1'), /must be separated by commas, not by semicolons/],
  [
    'quoted fields with semicolons',
    csv('\uFEFF"variant_code";"quantity"', '"A-1";"1"'),
    /must be separated by commas, not by semicolons/,
  ],
  [
    'quoted fields with tabs',
    csv('"variant_code"\t"quantity"', '"A-1"\t"1"'),
    /must be separated by commas, not by semicolons or tabs/,
  ],
  [
    'a web page with the name of a CSV file',
    '\r\n<html><head><meta charset="utf-8"></head><table><tr><td>variant_code</td></tr></table></html>',
    /is an HTML or XML page, not CSV: open it .* and save it as "CSV UTF-8"/,
  ],
  [
    'a workbook (.xlsx) with the name of a CSV file',
    Buffer.from('PK\u{3}\u{4}\u{14}\xa0\xb0', 'latin1'),
    /is an Excel workbook or a ZIP archive, not CSV: export it .* with every column as text, and save it as "CSV UTF-8"/,
  ],
  [
    'a workbook (.xls) with the name of a CSV file',
    Buffer.from('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', 'latin1'),
    /is an Excel workbook/,
  ],
  ['an empty file', '', /the file is empty/],
  [
    'another encoding (Shift_JIS)',
    Buffer.from('variant_code,quantity\n\x83\x8c\x83\x93\x83Y,1\n', 'latin1'),
    /neither UTF-8 nor UTF-16 nor EUC-KR.*: iconv -f SHIFT_JIS -t UTF-8 FILE > FILE\.utf8\.csv$/m,
  ],
  [
    'UTF-8 with a byte of another encoding far below',
    Buffer.concat([
      Buffer.from(`variant_code,quantity\n렌즈,1\n${'A,1\n'.repeat(50_000)}`),
      Buffer.from([0xb0, 0x0a]),
    ]),
    /invalid in its encoding\. Find them with: iconv -f UTF-8 -t UTF-8 FILE/,
  ],
  ['an unclosed quote', csv('variant_code,quantity', '"A-1,1'), /line 2: a quote is opened and never closed/],
  [
    'an unclosed quote above other rows',
    csv('variant_code,quantity', 'A-1,1', '', '"A-2,1', 'A-3,1', 'A-4,1'),
    /line 4: a quote is opened and never closed/,
  ],
  [
    'an unclosed quote above a quoted field',
    csv('variant_code,quantity', '"A-1",1', '"A-2,1', 'A-3,1', '"A-4",1'),
    /line 3: a field contains a quote/,
  ],
  [
    'an unclosed quote above many rows',
    csv('variant_code,quantity', 'A-1,1', '"A-2,1', ...Array.from({ length: 5_000 }, (_, n) => `B-${n},1`)),
    /line 3: a row is longer than 16,384/,
  ],
  ['a quote inside a field', csv('variant_code,quantity', '"A-1"x,1'), /line 2: a field contains a quote/],
  [
    'a quote and a blank inside a field',
    csv('variant_code,quantity', '"A" 1",1'),
    /line 2: a field contains a quote/,
  ],
  ['a row that is too long', csv('variant_code,quantity', `"${'x'.repeat(20_000)}",1`), /longer than 16,384/],
];

for (const [what, content, message] of REFUSED) {
  test(`${what} is refused with a one-line message`, async () => {
    const { stderr } = await importText(['stock'], content, 1);
    assert.equal(lines(stderr).length, 1, stderr);
    assert.match(stderr, message);
  });
}

test('empty columns and rows that a spreadsheet adds are ignored; the other rows keep their line numbers', async () => {
  await importText(['products'], csv('product_code,product_name,variant_code', 'E,Edge,E-1', 'E,Edge,E-2'));
  const rows = [',,,,', 'variant_code,quantity,,', 'E-1,4,,', ' ,"",,', 'E-2,5,,,', ',,', ''];
  const { stdout } = await importText(['stock'], rows.join('\r\n'));
  assert.match(stdout, /^stock: 2 rows imported/);
  assert.deepEqual(await quantities('E-'), [
    { code: 'E-1', quantity: 4 },
    { code: 'E-2', quantity: 5 },
  ]);
  const { stderr } = await importText(['stock'], csv(...rows, 'E-1,1,234', 'E-2'), 1);
  assert.deepEqual(lines(stderr).slice(0, 2), [
    'sluice: line 8: 3 fields, but the header has 2. A value that contains a comma must be in quotes.',
    'sluice: line 9: 1 field, but the header has 2.',
  ]);
});

test('files in UTF-16 and EUC-KR are read, and a message says so', async () => {
  const text = csv('product_code,product_name,variant_code', '인코딩,"렌즈, 컬러",인코딩-1');
  const korean =
    'product_code,product_name,variant_code\n\xc0\xce\xc4\xda\xb5\xf9,"\xb7\xbb\xc1\xee, \xc4\xc3\xb7\xaf",\xc0\xce\xc4\xda\xb5\xf9-1\n';
  const big = Buffer.from(`\u{feff}${text}`, 'utf16le').swap16();
  const files: [string, Buffer][] = [
    ['UTF-16', Buffer.from(`\u{feff}${text}`, 'utf16le')],
    ['UTF-16', Buffer.from(text, 'utf16le')],
    ['UTF-16', big],
    ['EUC-KR (CP949)', Buffer.from(korean, 'latin1')],
  ];
  for (const [name, bytes] of files) {
    const { stdout, stderr } = await importText(['products'], bytes);
    assert.match(
      stdout,
      name === 'UTF-16' && bytes === files[0]?.[1] ? /variants created: 1/ : /nothing to change/,
    );
    assert.equal(
      stderr,
      `sluice: the file is not UTF-8: it is read as ${name}. Check some names after the import.\n`,
    );
  }
  const stored = await bench.rows(
    `select p.name, v.code from product p join variant v on v.product_id = p.id where p.code = '인코딩'`,
  );
  assert.deepEqual(stored, [{ name: '렌즈, 컬러', code: '인코딩-1' }]);
});

test('NULL and \\N in an optional column mean empty; in a required one they are text, with a warning', async () => {
  const header = 'product_code,product_name,variant_code,power';
  const { stderr } = await importText(
    ['products'],
    csv(header, 'N-P,NULL,N-1,\\N', 'N-P,NULL,N-2,NULL', 'N-P,NULL,N-3, '),
  );
  assert.match(stderr, /warning: line 2: product_name is NULL or \\N/);
  assert.deepEqual(
    await bench.rows(
      `select power, p.name from variant v join product p on p.id = v.product_id where v.code like 'N-_'`,
    ),
    [
      { power: null, name: 'NULL' },
      { power: null, name: 'NULL' },
      { power: null, name: 'NULL' },
    ],
  );
});

test('--as-written: values that look damaged are imported as they are, with a warning', async () => {
  const header = 'product_code,product_name,variant_code';
  const rows = csv(
    header,
    '1E+05,E,1E+05',
    '#N/A,E,####',
    'L,E,9934567890123450000',
    'L,E,9934567890123460000',
  );
  await importText(['products'], rows, 1);
  const { stdout, stderr } = await importText(['products', '--as-written'], rows);
  assert.match(stdout, /variants created: 4/);
  assert.match(stderr, /warning: line 2: product_code contains a shortened number/);
  assert.match(stderr, /warning: line 4: variant_code: a spreadsheet has replaced/);
});

test('a file that contains only a header changes nothing, and a message says so', async () => {
  const { stdout, stderr } = await importText(['stock'], csv('variant_code,quantity', ','));
  assert.match(stdout, /^stock: 0 rows checked .*nothing to change$/m);
  assert.equal(stderr, 'sluice: the file has no rows below its header.\n');
  const json = await importText(['codes', '--dry-run', '--json'], csv('group,code,name'));
  assert.equal(JSON.parse(json.stdout).counts.rows, 0);
  assert.match(json.stderr, /no rows below its header/);
});

test('values that a spreadsheet has damaged are refused: shortened numbers, error values, lost digits', async () => {
  const before = await snapshot();
  const damaged = await importText(
    ['products'],
    csv('product_code,product_name,variant_code', 'E,E,1.23457E+12', '#N/A,E,########', 'E,E,"1,5e+18"'),
    1,
  );
  const original =
    'Import the original file; a spreadsheet keeps such values only if it opens the column as text. If it is right, import with --as-written (API: as_written).';
  const value = `contains a shortened number or an error value of a spreadsheet. ${original}`;
  assert.deepEqual(lines(damaged.stderr), [
    `sluice: line 2: variant_code ${value}`,
    `sluice: line 3: product_code ${value}`,
    `sluice: line 3: variant_code ${value}`,
    `sluice: line 4: variant_code ${value}`,
    'sluice: nothing was imported: 4 errors in the file.',
  ]);
  const codes = (...found: string[]): string =>
    csv('product_code,product_name,variant_code', ...found.map((code) => `E,E,${code}`));
  const cut = await importText(['products'], codes('X', '1234567890123450000', '1234567890123460000'), 1);
  assert.deepEqual(lines(cut.stderr), [
    `sluice: line 3: variant_code: a spreadsheet has replaced the digits after the 15th by zeros, in every long number. ${original}`,
    'sluice: nothing was imported: 1 error in the file.',
  ]);
  assert.deepEqual(await snapshot(), before);
  const unknown = await importText(['stock'], csv('variant_code,quantity', '42,1', 'A42,1'), 1);
  assert.deepEqual(lines(unknown.stderr).slice(0, 2), [
    'sluice: line 2: variant "42" does not exist. Has a spreadsheet removed its leading zeros?',
    'sluice: line 3: variant "A42" does not exist.',
  ]);
  for (const intact of [
    ['1234567890123450000', '1234567890123460001'],
    ['2026111512345670', '2026111512345680', '1E5', '1E+5', '12E+10', '#1', '000000000000012340000000'],
  ])
    await importText(['products', '--dry-run'], codes(...intact));
});

test('codes that differ only in case, width, blanks or leading zeros are imported with a warning', async () => {
  const header = 'product_code,product_name,variant_code';
  const rows = csv(header, 'al-1,P,al-1', 'AL-1,P,"AL-1 "', 'AL-1,P,AL-2', '0042,P,ＡＬ-3', '42,P,al-3');
  const { stdout, stderr } = await importText(['products', '--dry-run'], rows);
  assert.match(stdout, /products created: 4, variants created: 5/);
  const alike = 'differ only in case, blanks or leading zeros; they are imported as two.';
  assert.deepEqual(lines(stderr), [
    'sluice: warning: line 3: variant_code begins or ends with a blank, perhaps on later lines, too: the blanks are imported.',
    `sluice: warning: line 3: product_code "AL-1" and "al-1" on line 2 ${alike}`,
    `sluice: warning: line 3: variant_code "AL-1 " and "al-1" on line 2 ${alike}`,
    `sluice: warning: line 6: product_code "42" and "0042" on line 5 ${alike}`,
    `sluice: warning: line 6: variant_code "al-3" and "ＡＬ-3" on line 5 ${alike}`,
  ]);
  await importText(['products'], csv(header, 'al-1,P,al-1'));
  const one = (await bench.ok(['channel', 'create', '--name', 'One', '--json'])).json().id;
  const two = (await bench.ok(['channel', 'create', '--name', 'Two', '--json'])).json().id;
  const skus = csv('channel_id,sku,variant_code', `${one},s,al-1`, `${two},S,al-1`, `${two},s,al-1`);
  const path = await bench.file('mappings.csv', skus);
  const { warning_count, warnings } = (await bench.ok(['import', 'mappings', path, '--json'])).json();
  const [{ text: _text, ...warning }] = warnings;
  assert.equal(warning_count, 1);
  assert.deepEqual(warning, {
    line: 4,
    column: 'sku',
    code: 'looks_alike',
    details: { value: 's', first_value: 'S', first_line: 3 },
  });
});

test('a missing file is refused with a one-line message', async () => {
  const { code, stderr } = await bench.run(['import', 'stock', 'no-such.csv']);
  assert.equal(code, 1);
  assert.match(stderr, /^sluice: the file does not exist\.\n$/);
});

test('5,000 rows: a second import changes nothing, and with a fault on the last line nothing is imported', async () => {
  const rows = Array.from({ length: 5_000 }, (_, index) => ({
    product: `BIG${Math.floor(index / 10)}`,
    variant: `BIG${Math.floor(index / 10)}-${index % 10}`,
    quantity: index % 977,
  }));
  const files = {
    products: csv(
      'product_code,product_name,variant_code',
      ...rows.map(({ product, variant }) => `${product},Name of ${product},${variant}`),
    ),
    stock: csv('variant_code,quantity', ...rows.map(({ variant, quantity }) => `${variant},${quantity}`)),
    mappings: csv('sku,variant_code', ...rows.map(({ variant }) => `S-${variant},${variant}`)),
  };
  const channel = await newChannel();
  const options = { products: [], stock: [], mappings: ['--channel', channel] };
  const before = await snapshot();
  await importText(['products'], `${files.products}BIG0,Another name,X\n`, 1);
  assert.deepEqual(await snapshot(), before);

  for (const subject of ['products', 'stock', 'mappings'] as const) {
    await importText([subject, ...options[subject]], files[subject]);
  }
  const written = await snapshot();
  assert.equal(written['variant'], (before['variant'] ?? 0) + 5_000);
  assert.equal(written['stock'], (before['stock'] ?? 0) + 5_000);
  assert.equal(written['mapping'], (before['mapping'] ?? 0) + 5_000);
  for (const subject of ['products', 'stock', 'mappings'] as const) {
    const again = await importText([subject, ...options[subject]], files[subject]);
    assert.match(again.stdout, /nothing to change/);
  }
  const after = await snapshot();
  assert.deepEqual({ ...after, audit: 0 }, { ...written, audit: 0 });
  assert.equal(after['audit'], (written['audit'] ?? 0) + 3);
  await bench.ok(['reconcile']);
});

test('an import waits for an order that holds a stock row, and starts from the quantity that the order leaves', async () => {
  const [variant] = await bench.rows(`select id from variant where code = 'A-3'`);
  const order = await connect(bench.database.url);
  await order.query('begin');
  await order.query('update stock set quantity = quantity - 2 where variant_id = $1', [variant.id]);
  await order.query(
    `insert into stock_movement (variant_id, delta, quantity_after, kind, actor) values ($1, -2, 5, 'adjustment', 't')`,
    [variant.id],
  );
  const path = await bench.file('wait.csv', csv('variant_code,quantity', 'A-3,50', 'A-1,77'));
  const importing = bench.ok(['import', 'stock', path]);
  await untilWaiting();
  await order.query('commit');
  await order.end();
  await importing;
  const [last] = await bench.rows(
    'select delta, quantity_after from stock_movement where variant_id = $1 order by id desc limit 1',
    [variant.id],
  );
  assert.deepEqual(last, { delta: 45, quantity_after: 50 });
  await bench.ok(['reconcile']);
});

test('stock that changes and changes back during an import: the ledger still ends with the import', async () => {
  const [variant] = await bench.rows(`select id from variant where code = 'A-3'`);
  const other = await connect(bench.database.url);
  await other.query('begin');
  await other.query('select from stock where variant_id = $1 for update', [variant.id]);
  const path = await bench.file('back.csv', csv('variant_code,quantity', 'A-3,60'));
  const importing = bench.ok(['import', 'stock', path]);
  await untilWaiting();
  for (const [delta, after] of [
    [-2, 48],
    [2, 50],
  ]) {
    await other.query(
      `insert into stock_movement (variant_id, delta, quantity_after, kind, actor) values ($1, $2, $3, 'adjustment', 't')`,
      [variant.id, delta, after],
    );
  }
  await other.query('commit');
  await other.end();
  await importing;
  const last = await bench.rows(
    'select delta, quantity_after from stock_movement where variant_id = $1 order by id desc limit 2',
    [variant.id],
  );
  assert.deepEqual(last, [
    { delta: 10, quantity_after: 60 },
    { delta: 2, quantity_after: 50 },
  ]);
  await bench.ok(['reconcile']);
});

test('an import of many rows that is killed leaves whole parts with their audit entries; repeated, it writes the rest', async () => {
  const codes = Array.from({ length: 1_200 }, (_, index) => `PART-${String(index).padStart(4, '0')}`);
  await importText(
    ['products'],
    csv('product_code,product_name,variant_code', ...codes.map((code) => `PART,P,${code}`)),
  );
  const [held] = await bench.rows('select id from variant where code = $1', [codes[700]]);
  await importText(['stock'], csv('variant_code,quantity', `${codes[700]},1`));
  const other = await connect(bench.database.url);
  await other.query('begin');
  await other.query('select from stock where variant_id = $1 for update', [held.id]);
  const text = csv('variant_code,quantity', ...codes.map((code, index) => `${code},${index + 5}`));
  const path = await bench.file('parts.csv', text);
  const env = { ...process.env, ...bench.env };
  const killed = spawn(process.execPath, ['src/start/cli.ts', 'import', 'stock', path], {
    cwd: ROOT,
    env,
    stdio: 'ignore',
  });
  await untilWaiting();
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  await other.query('rollback');
  await other.end();
  const written = async (): Promise<number> =>
    (
      await bench.rows(`select count(*)::int as n from stock s join variant v on v.id = s.variant_id
       where v.code like 'PART-%' and s.quantity >= 5`)
    )[0].n;
  const trail = async (): Promise<object[]> =>
    (
      await bench.rows(
        `select after from audit where action = 'import.stock' and after->>'file' = 'parts.csv' order by id`,
      )
    ).map(({ after: { part, parts, rows, quantities_changed } }) => [part, parts, rows, quantities_changed]);
  assert.equal(await written(), 500);
  assert.deepEqual(await trail(), [[1, 3, 500, 500]]);
  await bench.ok(['reconcile']);
  const again = await importText(['stock'], text);
  assert.match(again.stdout, /1,200 rows imported .*quantities changed: 700/);
  assert.equal(await written(), 1_200);
  await bench.ok(['reconcile']);
});

const ORDERS =
  'order_number,channel,status,created_at,recipient_name,recipient_phone,shipping_address,sku,variant_code,quantity,local_unit_price';
const orderRow = (number: string, channel: string, variant: string, quantity: number): string =>
  `${number},${channel},1,2026-10-01T10:00:00+09:00,R,1,A,any-sku,${variant},${quantity},5`;

test('channels are imported with their keys, also from standard input, and no message contains a key', async () => {
  const key = `${OLD_KEY}-cli`;
  const text = csv('name,api_key,country_code', `Old shop,${key},KR`);
  const file = await importText(['channels'], text);
  assert.match(file.stdout, /1 row imported.*channels created: 1/);
  assert.match(file.stderr, /the file holds secrets: delete it/);
  const again = await bench.ok(['import', 'channels', '-'], { input: text });
  assert.match(again.stdout, /nothing to change/);
  const refused = await importText(['channels'], csv('name,api_key', `New shop,${key}`, `Third,${key}`), 1);
  assert.deepEqual(lines(refused.stderr), [
    'sluice: line 2: api_key belongs to channel "Old shop": correct it, or rename that channel first.',
    'sluice: line 3: api_key is on line 2 already: each channel has its own.',
    'sluice: line 3: api_key belongs to channel "Old shop": correct it, or rename that channel first.',
    'sluice: nothing was imported: 3 errors in the file.',
  ]);
  const changed = await importText(['channels'], csv('name,api_key', `Old shop,${key}-2`), 1);
  assert.match(
    changed.stderr,
    /line 2: channel "Old shop" exists already, with another key: rename that channel first\./,
  );
  const audit = await bench.rows('select before, after from audit');
  assert.ok(!`${JSON.stringify(audit)}${refused.stdout}${file.stderr}`.includes(OLD_KEY));
});

test('allocations are imported by channel name, also repeatedly, and reconcile finds no drift', async () => {
  const header = 'channel,variant_code,allocated_qty,reserve_quota';
  await importText(['stock'], csv('variant_code,quantity', 'A-1,77', 'A-2,10'));
  const first = await importText(['allocations'], csv(header, 'Old shop,A-1,30,5', 'Old shop,A-2,4,0'));
  assert.match(first.stdout, /allocations set: 2/);
  await importText(['allocations'], csv(header, 'Old shop,A-1,20,6', 'Old shop,A-2,4,0'));
  const found = await bench.rows(
    `select v.code, a.allocated_qty, a.reserve_quota, s.allocated
     from allocation a join variant v on v.id = a.variant_id join stock s on s.variant_id = v.id
     join channel c on c.id = a.channel_id where c.name = 'Old shop' order by 1`,
  );
  assert.deepEqual(found, [
    { code: 'A-1', allocated_qty: 20, reserve_quota: 6, allocated: 20 },
    { code: 'A-2', allocated_qty: 4, reserve_quota: 0, allocated: 4 },
  ]);
  const { stderr } = await importText(
    ['allocations'],
    csv(
      header,
      'C,A-1,1,1',
      'Nobody,A-1,1,1',
      ',A-1,1,1',
      'Old shop,B-1,1,1',
      'Old shop,A-1,1,1',
      'Old shop,A-1,2,2',
    ),
    1,
  );
  assert.match(stderr, /line 2: several channels are called "C"/);
  assert.match(stderr, /line 3: there is no channel "Nobody"/);
  assert.match(stderr, /line 4: channel is missing/);
  assert.match(stderr, /line 5: variant "B-1" has no stock record/);
  assert.match(stderr, /line 7: channel \d+ and variant "A-1" are on line 6 already/);
  await bench.ok(['reconcile']);
});

test('mappings of several channels are imported from one file, by channel id or name', async () => {
  const id = await newChannel();
  const header = 'channel_id,channel,sku,variant_code';
  const rows = [`${id},,M1,A-1`, ',Old shop,M1,A-2', ',Old shop,M1,A-2', `${id},,M2,A-3`];
  const { stdout } = await importText(['mappings'], csv(header, ...rows));
  assert.match(stdout, /mappings created: 3$/m);
  const stored = () =>
    bench.rows(
      `select c.name = 'Old shop' as old, m.sku, v.code
       from mapping m join variant v on v.id = m.variant_id join channel c on c.id = m.channel_id
       where (c.id = $1 or c.name = 'Old shop') and m.sku like 'M%' order by 1, 2`,
      [id],
    );
  assert.deepEqual(await stored(), [
    { old: false, sku: 'M1', code: 'A-1' },
    { old: false, sku: 'M2', code: 'A-3' },
    { old: true, sku: 'M1', code: 'A-2' },
  ]);
  const [last] = await bench.rows(`select channel_ids from ${CHANGES} order by xid desc limit 1`);
  assert.equal(last.channel_ids.length, 2);
  assert.doesNotMatch((await importText(['mappings'], csv(header, ...rows))).stdout, /created|replaced/);

  const wrong = csv(
    header,
    ',Old shop,M1,A-1',
    ',Old shop,M1,A-3',
    ',Nobody,M1,A-1',
    ',,M1,A-1',
    `${id},,M9,nope`,
  );
  const { stderr } = await importText(['mappings'], wrong, 1);
  assert.match(stderr, /line 3: sku "M1" is on line 2 already/);
  assert.match(stderr, /line 4: there is no channel "Nobody"/);
  assert.match(stderr, /line 5: channel is missing/);
  assert.match(stderr, /line 6: variant "nope" does not exist/);
  assert.equal((await stored()).length, 3);
});

test('an import of orders locks its stock rows in order, and only then inserts orders', async () => {
  const [low, high] = await bench.rows(
    `select variant_id as id from stock s join variant v on v.id = s.variant_id where v.code in ('A-1', 'A-3') order by 1`,
  );
  const other = await connect(bench.database.url);
  await other.query('begin');
  await other.query('select from stock where variant_id = $1 for update', [low.id]);
  const path = await bench.file(
    'orders.csv',
    csv(ORDERS, orderRow('IMP-1', 'Old shop', 'A-3', 2), 'IMP-1,,,,,,,any-sku,A-1,3,5'),
  );
  const importing = bench.ok(['import', 'orders', path]);
  await untilWaiting();
  const third = await connect(bench.database.url);
  await third.query('begin');
  await third.query('select from stock where variant_id = $1 for update nowait', [high.id]);
  await third.query('rollback');
  // A channel that sends the order meanwhile does not wait for its number.
  await third.query('begin');
  await third.query(`set local lock_timeout = 100`);
  await third.query(
    `insert into orders (id, channel_id, order_number, status, is_backorder, recipient_name, recipient_phone,
       shipping_address, local_currency_code, local_total_amount, total_amount, exchange_rate)
     select nextval('order_id_seq'), id, 'IMP-1', 1, false, 'R', '1', 'A', 'KRW', 1, 1, 1 from channel limit 1`,
  );
  await third.query('rollback');
  await third.end();
  assert.equal(await bench.count('orders'), 0, 'no order is visible before the commit');
  await other.query('commit');
  await other.end();
  const { stdout } = await importing;
  assert.match(stdout, /orders: 2 rows imported.*orders imported: 1, units unshipped: 5/);
  await bench.ok(['reconcile']);
});

test('1,500 orders: one bad line imports nothing, a second import changes nothing, and reconcile finds no drift', async () => {
  const rows = Array.from({ length: 1_500 }, (_, index) =>
    orderRow(`MANY-${index}`, 'Old shop', `BIG${index % 200}-0`, 1 + (index % 3)),
  );
  const before = await bench.count('orders');
  await importText(['orders'], csv(ORDERS, ...rows, orderRow('MANY-X', 'Old shop', 'none', 1)), 1);
  assert.equal(await bench.count('orders'), before);
  const dry = await importText(['orders', '--dry-run'], csv(ORDERS, ...rows));
  assert.match(dry.stdout, /checked, nothing written.*would be orders imported: 1,500/);
  await importText(['orders'], csv(ORDERS, ...rows));
  assert.equal(await bench.count('orders'), before + 1_500);
  const again = await importText(['orders'], csv(ORDERS, ...rows));
  assert.match(
    again.stdout,
    /^orders: 1,500 rows checked \(.* s\); nothing to change, orders already there: 1,500$/m,
  );
  await bench.ok(['reconcile']);
});

test('orders that channels send during each attempt of an import: one line, and nothing is imported', async () => {
  await bench.rows(`create function taken() returns trigger language plpgsql as $$
    begin raise unique_violation using constraint = 'orders_order_number_key'; end $$`);
  await bench.rows(
    'create trigger taken before insert on orders for each statement execute function taken()',
  );
  const before = await bench.count('order_item');
  const rows = csv(ORDERS, orderRow('TAKEN-1', 'Old shop', 'BIG1-0', 1));
  const { stderr } = await importText(['orders'], rows, 1);
  assert.deepEqual(lines(stderr), [
    'sluice: nothing was imported: channels sent orders of the file during each attempt; repeat the command.',
  ]);
  assert.equal(await bench.count('order_item'), before);
  await bench.rows('drop trigger taken on orders');
  await importText(['orders'], rows);
});

test('reconcile, the last check before the switch, names active channels whose currency has no exchange rate', async () => {
  const channels = csv(
    'name,api_key,country_code,is_active',
    `Selling in SGD,${OLD_KEY}-sgd,SG,true`,
    `Not yet,${OLD_KEY}-thb,TH,false`,
  );
  await importText(['channels'], channels);
  const missing = 'channel "Selling in SGD": no rate of SGD is in effect; new orders get amounts of 0.00.';
  const text = await bench.ok(['reconcile']);
  assert.deepEqual(
    lines(text.stderr).filter((line) => line.includes('Selling in SGD') || line.includes('Not yet')),
    [`sluice: ${missing}`],
  );
  const { channels_without_rate } = (await bench.ok(['reconcile', '--json'])).json();
  assert.ok(
    channels_without_rate.some((one: any) => one.name === 'Selling in SGD' && one.currency_code === 'SGD'),
  );
  const later = new Date(Date.now() + 3_600_000).toISOString();
  await importText(['rates'], csv('currency_code,rate,effective_at', `SGD,1000,${later}`));
  assert.match((await bench.ok(['reconcile'])).stderr, /Selling in SGD/, 'a future rate is not in effect');
  await importText(['rates'], csv('currency_code,rate', 'SGD,1000'));
  assert.doesNotMatch((await bench.ok(['reconcile'])).stderr, /Selling in SGD/);
});

const untilWaiting = (): Promise<void> =>
  until(async () => {
    const waiting = await bench.rows(
      `select pid from pg_stat_activity
       where application_name = 'sluice-cli' and wait_event_type = 'Lock' and datname = current_database()`,
    );
    return waiting.length > 0;
  }, 'the import waits for a lock');
