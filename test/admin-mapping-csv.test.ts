// Import and export of mappings as CSV: a dry run, an import of all rows or none, an export that can be imported again.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { desk, fieldsRefused, ODD_TEXTS, refusal } from './kit/desk.ts';
import { fixtures, must, unique } from '../verify/kit/fixtures.ts';
import { LONG_ONLY } from '../verify/kit/long.ts';
import { ADMIN_TOKEN, call, PATIENT, startTestService } from '../verify/kit/service.ts';

const service = await startTestService({ env: PATIENT });
const make = fixtures(service);
const { admin, audits, journaled, pages, token } = desk(service);

const send = (id: number, csv: unknown, dry_run?: unknown) =>
  admin('POST', `/channels/${id}/mappings/import`, { csv, ...(dry_run === undefined ? {} : { dry_run }) });
const mapped = async (id: number) =>
  Object.fromEntries(
    (await pages(`/channels/${id}/mappings`, 500)).map(({ sku, variant_code }) => [sku, variant_code]),
  );
const exported = async (id: number, credentials = ADMIN_TOKEN) => {
  const url = `${service.origin}/admin/v1/channels/${id}/mappings/export`;
  const response = await fetch(url, { headers: { authorization: `Bearer ${credentials}` } });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
};

test('a dry run reports the changes without making them; the import makes them, with audit and journal entries', async () => {
  const channel = await make.channel();
  const [a, b] = [await make.variant(1), await make.variant(2)];
  await make.map(channel, a, 'keep');
  await make.map(channel, a, 'swap');
  const csv = `sku,variant_code\nkeep,${a.code}\nswap,${b.code}\nfresh,${b.code}\nfresh,${b.code}\n`;
  const trail = (await audits(`channel:${channel.id}`)).length;
  const journal = await journaled('channel_ids', channel.id);
  const expected = {
    rows: 4,
    created: 1,
    replaced: 1,
    unchanged: 2,
    errors: [],
    error_count: 0,
    applied: false,
    sample: [
      { sku: 'swap', variant_code: b.code, before: a.code },
      { sku: 'fresh', variant_code: b.code, before: null },
    ],
  };
  assert.deepEqual(await must(send(channel.id, csv, true), 200), expected);
  assert.deepEqual(await mapped(channel.id), { keep: a.code, swap: a.code });
  assert.equal((await audits(`channel:${channel.id}`)).length, trail);
  assert.equal(await journaled('channel_ids', channel.id), journal);

  const before = await channel.call('GET', '/inventory');
  assert.deepEqual(await must(send(channel.id, csv), 200), { ...expected, applied: true });
  assert.deepEqual(await mapped(channel.id), { keep: a.code, swap: b.code, fresh: b.code });
  const last = (await audits(`channel:${channel.id}`)).at(-1);
  assert.deepEqual(
    [last?.action, last?.actor, last?.before, last?.after],
    ['mapping.import', 'environment', null, { rows: 4, created: 1, replaced: 1 }],
  );
  assert.equal(await journaled('channel_ids', channel.id), journal + 1);
  const now = await channel.call('GET', '/inventory');
  assert.equal(before.json.data.length, 2);
  assert.deepEqual(
    now.json.data.map((row: { sku: string; product_code: string }) => [row.sku, row.product_code]),
    [
      ['fresh', b.code],
      ['keep', a.code],
      ['swap', b.code],
    ],
  );

  const again = await must(send(channel.id, csv, false), 200);
  assert.deepEqual([again.created, again.replaced, again.unchanged, again.applied], [0, 0, 4, true]);
  assert.equal(
    (await audits(`channel:${channel.id}`)).length,
    trail + 1,
    'an import without changes writes no audit entry',
  );
});

test('every invalid row is reported with line, column and reason, and no row is written', async () => {
  const channel = await make.channel();
  const { code } = await make.variant(1);
  const other = await make.variant(1);
  const csv = [
    'sku,variant_code',
    `good,${code}`, // 2
    ` \u200b,${code}`, // 3: blank
    'noone,nope', // 4: unknown variant
    `good,${other.code}`, // 5: again, with another variant
    `${'x'.repeat(101)},${code}`, // 6: too long
    `nul\0,${code}`, // 7: U+0000
    'alone', // 8: one field
    '', // 9: no row
    `"two\r\nlines",${code}`, // 10 and 11
    'empty,', // 12: no variant
    `${'가'.repeat(100)},${code}`, // 13: just fits
    'late,nope either', // 14
  ].join('\r\n');
  const report = await must(send(channel.id, csv, true), 200);
  assert.deepEqual(
    report.errors.map(({ line, column }: { line: number; column: string | null }) => [line, column]),
    [
      [3, 'sku'],
      [4, 'variant_code'],
      [5, 'sku'],
      [6, 'sku'],
      [7, 'sku'],
      [8, null],
      [12, 'variant_code'],
      [14, 'variant_code'],
    ],
  );
  const texts = report.errors.map(({ message }: { message: string }) => message);
  assert.deepEqual(texts, [
    'sku is missing.',
    'variant "nope" does not exist.',
    'sku "good" is on line 2 already, with another variant.',
    'sku must have at most 100 characters.',
    'sku contains characters that cannot be stored.',
    '1 field, but the header has 2.',
    'variant_code is missing.',
    'variant "nope either" does not exist.',
  ]);
  assert.deepEqual(
    report.errors.map(({ code: problem, details }: { code: string; details: object }) => [problem, details]),
    [
      ['value_missing', {}],
      ['variant_unknown', { variant_code: 'nope' }],
      ['sku_repeated', { sku: 'good', first_line: 2 }],
      ['too_long', { characters_max: 100 }],
      ['not_storable', {}],
      ['wrong_field_count', { fields: 1, expected: 2 }],
      ['value_missing', {}],
      ['variant_unknown', { variant_code: 'nope either' }],
    ],
  );
  assert.deepEqual([report.rows, report.created, report.error_count, report.applied], [11, 3, 8, false]);

  const refused = await send(channel.id, csv);
  assert.equal(refused.status, 422, refused.text);
  assert.deepEqual(Object.keys(refused.json), ['error', 'code', 'details', 'data']);
  assert.match(refused.json.error, /8 errors/);
  assert.deepEqual(refused.json.data, report);
  assert.deepEqual(await mapped(channel.id), {});
});

test('a file in the wrong format gets one error that names the problem', async () => {
  const { id } = await make.channel();
  const { code } = await make.variant(1);
  const cases: [csv: string, line: number, column: string | null, message: RegExp][] = [
    ['', 1, null, /empty.*sku,variant_code/],
    ['\u{feff}', 1, null, /empty/],
    ['sku\nS1', 1, 'variant_code', /missing variant_code/],
    [`sku,variant\nS1,${code}`, 1, 'variant_code', /unknown "variant"/],
    [`sku;variant_code\nS1;${code}`, 1, 'sku', /separated by commas/],
    ['sku,variant_code,sku\n', 1, null, /duplicate column sku/],
    ['sku,variant_code\n"open,1\n', 2, null, /^a quote is opened and never closed/],
    [`sku,variant_code\nS"1,${code}\n`, 2, null, /a field contains a quote/],
    [`sku,variant_code\n${'x'.repeat(20_000)},${code}\n`, 2, null, /longer than/],
  ];
  for (const [csv, line, column, message] of cases) {
    const report = await must(send(id, csv, true), 200);
    const [error] = report.errors as { line: number; column: string | null; message: string }[];
    assert.deepEqual([report.error_count, error?.line, error?.column], [1, line, column], csv.slice(0, 40));
    assert.match(error?.message ?? '', message);
    assert.equal((await send(id, csv)).status, 422);
  }
  assert.deepEqual(await mapped(id), {});
});

test('a report contains the first 200 errors with the total count, and the first 50 changes', async () => {
  const { id } = await make.channel();
  const { code } = await make.variant(1);
  const bad = Array.from({ length: 250 }, (_, n) => `B${n},nope`);
  const good = Array.from({ length: 60 }, (_, n) => `G${n},${code}`);
  const report = await must(send(id, ['sku,variant_code', ...good, ...bad].join('\n'), true), 200);
  assert.deepEqual([report.error_count, report.errors.length, report.sample.length], [250, 200, 50]);
  assert.deepEqual([report.errors[0].line, report.errors[199].line, report.sample[49].sku], [62, 261, 'G49']);
});

test('files saved by spreadsheets are accepted: BOM, CRLF, quotes, columns in any order, upper case in the header', async () => {
  const { id } = await make.channel();
  const { code } = await make.variant(1);
  const csv = `\u{feff}"Variant_Code","SKU"\r\n${code},"a,""b"""\r\n${code}, blanks \r\n`;
  assert.equal((await must(send(id, csv), 200)).applied, true);
  assert.deepEqual(await mapped(id), { 'a,"b"': code, ' blanks ': code });
});

test('the export contains no formulas, and importing it restores exactly the same mappings', async () => {
  const channel = await make.channel();
  const skus = [
    ...ODD_TEXTS,
    '=1+1',
    `'=1`,
    '+82',
    '-0.50',
    '@sum',
    'quo"te',
    'com,ma',
    'line\nfeed',
    'carriage\r\nreturn',
    'cr\rcr',
    'tail ',
    '\u{a0}nbsp',
    '"',
    '#hash',
    '렌즈',
  ];
  const variants = await Promise.all(skus.map((text) => make.variant(1, { code: unique(text) })));
  for (const [index, sku] of skus.entries())
    await make.map(channel, variants[index] as { code: string; product: string }, sku);
  const { response, bytes } = await exported(channel.id);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
  assert.equal(
    response.headers.get('content-disposition'),
    `attachment; filename="mappings-channel-${channel.id}.csv"`,
  );
  const text = bytes.toString('utf8');
  assert.ok(text.startsWith('\u{feff}sku,variant_code,sluice_export\r\n'));
  for (const formula of ['=1+1', '+82', '-0.50', '@sum', `'=1`]) {
    assert.ok(text.includes(`\r\n'${formula},`), `a spreadsheet would calculate ${formula}`);
    assert.ok(!text.includes(`\n${formula},`), formula);
  }
  // Some spreadsheets treat the leading apostrophe as a text marker and save the file without it.
  const stripped = await must(send(channel.id, text.replaceAll("\r\n'=1+1,", '\r\n=1+1,'), true), 200);
  assert.deepEqual([stripped.unchanged, stripped.created], [skus.length, 0]);

  const same = await must(send(channel.id, text, true), 200);
  assert.deepEqual([same.unchanged, same.created, same.replaced, same.error_count], [skus.length, 0, 0, 0]);
  // Spreadsheets omit empty cells at the end of a row.
  const shorter = await must(send(channel.id, text.replaceAll(/,\r\n(?=.)/g, '\r\n'), true), 200);
  assert.deepEqual([shorter.unchanged, shorter.created], [skus.length, 0]);
  const copy = await make.channel();
  assert.equal((await must(send(copy.id, text), 200)).created, skus.length);
  assert.deepEqual(await mapped(copy.id), await mapped(channel.id));
  assert.deepEqual((await exported(copy.id)).bytes, bytes);
  const empty = await make.channel();
  assert.equal(
    (await exported(empty.id)).bytes.toString('utf8'),
    '\u{feff}sku,variant_code,sluice_export\r\n',
  );
});

test(
  '100,000 rows are imported in one request and exported again; 100,001 are refused; lookups continue during the import',
  LONG_ONLY,
  async () => {
    const { channel, variant, sku } = await make.setting(3);
    const rows = Array.from(
      { length: 100_000 },
      (_, n) => `SKU-${String(n).padStart(6, '0')},${variant.code}`,
    );
    const csv = ['sku,variant_code', ...rows].join('\n');
    let answered = 0;
    let done = false;
    const watching = (async () => {
      for (; !done; answered++) assert.equal(await make.available(channel, sku), 3);
    })();
    const report = await must(send(channel.id, csv), 200).finally(() => (done = true));
    await watching;
    assert.deepEqual([report.rows, report.created, report.applied], [100_000, 100_000, true]);
    assert.ok(answered >= 20, `only ${answered} lookups were answered during the import`);
    const { bytes } = await exported(channel.id);
    assert.equal(bytes.toString('utf8').split('\r\n').length, 100_003);
    const tooMany = await must(send(channel.id, `${csv}\none-more,${variant.code}`, true), 200);
    assert.match(tooMany.errors[0].message, /more than 100,000 rows/);
    assert.equal(tooMany.error_count, 1);
  },
);

test('an invalid body gets a validation error, never a 500', async () => {
  const { id } = await make.channel();
  for (const csv of [undefined, null, 5, ['sku'], {}, 'sku,variant_code\nlone\u{d800},v'])
    assert.deepEqual(await fieldsRefused(send(id, csv)), ['csv'], JSON.stringify(csv));
  assert.deepEqual(await fieldsRefused(send(id, 'sku,variant_code', 'yes')), ['dry_run']);
  assert.deepEqual(await fieldsRefused(admin('POST', `/channels/${id}/mappings/import`, '[]')), ['body']);
  const { errors } = await refusal(send(id, 'x'.repeat(8 * 1024 * 1024)), 422);
  assert.deepEqual(errors, { body: ['The body must be at most 8 MiB.'] });
  const small = await refusal(admin('PUT', `/channels/${id}/mappings`, { x: 'x'.repeat(1024 * 1024) }), 422);
  assert.deepEqual(small.errors, { body: ['The body must be at most 1 MiB.'] });
  await refusal(send(999_999, 'sku,variant_code'), 404);
  await refusal(admin('GET', '/channels/999999/mappings/export'), 404);
  await refusal(admin('GET', '/channels/abc/mappings/export'), 404);
});

test('viewers can export, operators can import, and requests without a valid token are refused', async () => {
  const { id } = await make.channel();
  const viewer = await token('viewer');
  const path = `/channels/${id}/mappings/import`;
  const body = { csv: 'sku,variant_code', dry_run: true };
  await refusal(admin('POST', path, body, viewer), 403);
  assert.equal((await admin('POST', path, body, await token('operator'))).status, 200);
  assert.equal((await exported(id, viewer)).response.status, 200);
  assert.equal((await exported(id, 'nobody')).response.status, 401);
  assert.equal((await call(`${service.origin}/admin/v1${path}`, 'POST', body)).status, 401);
});

test('the list contains the power of each variant', async () => {
  const { id } = await make.channel();
  const product = unique('P');
  const variants = [{ code: `${product}-1`, power: '-1.25' }, { code: `${product}-2` }];
  await must(admin('POST', '/products', { code: product, name: 'Lens', variants }), 201);
  await must(send(id, `sku,variant_code\na,${product}-1\nb,${product}-2`), 200);
  assert.deepEqual(
    (await pages(`/channels/${id}/mappings`, 500)).map(({ sku, power }) => [sku, power]),
    [
      ['a', '-1.25'],
      ['b', null],
    ],
  );
});
