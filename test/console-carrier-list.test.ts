// How the console parses the list that a carrier sends back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { courierOf, nearestCouriers } from '../src/core/rules/couriers.ts';
import {
  findColumns,
  parseList,
  pastedShipments,
  shipmentsOf,
} from '../console/src/screens/orders/carrier-list.ts';

const couriers = [
  { code: 'CJ', name: 'CJ대한통운', aliases: ['CJ Logistics'] },
  { code: 'EMS', name: 'Korea Post EMS', aliases: [] },
];

/** Number, tracking number and courier of each row, by the recognized columns. */
function read(text: string, known: string[] = []) {
  const table = parseList(text);
  const columns = findColumns(table, couriers, (number) => known.includes(number));
  return shipmentsOf(table, columns, couriers, null).map((row) => [
    row.order_number,
    row.tracking_number,
    row.courier_code,
  ]);
}

const ROWS = [
  ['A-1', '6012-3456-7890', 'CJ'],
  ['A-2', '601234567891', 'EMS'],
];

test('tabs, semicolons and commas, with and without a header, and columns in any order are understood', () => {
  for (const separator of ['\t', ';', ','])
    for (const end of ['\n', '\r\n', '\r']) {
      const text = (lines: string[][]) => lines.map((cells) => cells.join(separator)).join(end);
      assert.deepEqual(read(text(ROWS)), ROWS);
      assert.deepEqual(read(text([['Order number', 'Tracking number', 'Courier'], ...ROWS])), ROWS);
      const mixed = ROWS.map(([number = '', tracking = '', courier = '']) => [
        courier,
        'x',
        tracking,
        number,
      ]);
      assert.deepEqual(read(text([['택배사', '비고', '운송장번호', '주문번호'], ...mixed]), []), ROWS);
      assert.deepEqual(read(text(mixed), ['A-1', 'A-2']), ROWS, 'by known order numbers');
    }
});

test('a header is recognized in every spelling; a line that only resembles a header is data', () => {
  const header = (cells: string) => parseList(`${cells}\nA\tB`).header;
  for (const names of ['ORDER_NO\tTracking No.', '주문 번호\t송장번호', '쇼핑몰 주문번호\t운송장', 'x\tAWB'])
    assert.notEqual(header(names), null, names);
  for (const names of ['ORD-1\tT-1', 'Order date\tx', '운송장 출력일\tx'])
    assert.equal(header(names), null, names);
});

test('quoted cells, spreadsheet notation, a byte order mark and empty lines are understood', () => {
  const text = '\u{FEFF}\n"A-1";"6012;3456"\n\n="A-2";="0123"\n\'A-3;"say ""5"""\n;\n';
  assert.deepEqual(
    parseList(text).rows.map(({ line, cells }) => [line, ...cells]),
    [
      [2, 'A-1', '6012;3456'],
      [4, 'A-2', '0123'],
      [5, 'A-3', 'say "5"'],
    ],
  );
  assert.deepEqual(read('A-1 111222\nA-2   333444'), [
    ['A-1', '111222', null],
    ['A-2', '333444', null],
  ]);
});

test('couriers are recognized by code, name and alias; an unknown courier stays as given, for the service to refuse', () => {
  const codeOf = (text: string) => courierOf(text, couriers)?.code ?? null;
  assert.deepEqual(['cj 대한통운', 'ems', 'CJ-LOGISTICS', 'DHL', ' '].map(codeOf), [
    'CJ',
    'EMS',
    'CJ',
    null,
    null,
  ]);
  const shared = [...couriers, { code: 'X', name: 'ems', aliases: ['cj logistics'] }];
  assert.equal(courierOf('CJ Logistics', shared), null, 'two couriers are called so');
  assert.equal(courierOf('Ems', shared)?.code, 'EMS', 'a code comes before a name');
  const nearest = (text: string) => nearestCouriers(text, couriers).map(({ code }) => code);
  assert.deepEqual(['Korea Post', 'CJ Logistic', 'EM', 'DHL', ''].map(nearest), [
    ['EMS'],
    ['CJ'],
    ['EMS'],
    [],
    [],
  ]);
  const [row] = shipmentsOf(parseList('A\t1\tDHL'), { number: 0, tracking: 1, courier: 2 }, couriers, 'CJ');
  assert.equal(row?.courier_code, 'DHL');
  const [rest] = shipmentsOf(parseList('A\t1\t'), { number: 0, tracking: 1, courier: 2 }, couriers, 'CJ');
  assert.equal(rest?.courier_code, 'CJ');
  // Neither a code nor a name: the column was ignored, and the orders were shipped without a courier.
  for (const text of ['A-1\t6012\tUnknown Express\nA-2\t6013\tDHL', '6012\tDHL\tA-1\n6013\tDHL\tA-2'])
    assert.ok(
      read(text, ['A-1', 'A-2']).every((cells) => cells[2] !== null),
      text,
    );
  assert.equal(read('A-1\t6012\t2 boxes\tCJ Logistic', ['A-1'])[0]?.[2], 'CJ Logistic');
  assert.equal(read('Order number\tTracking number\tNote\nA-1\t6012\tfragile')[0]?.[2], null);
});

test('rows without a number and numbers that a spreadsheet has rounded are faults', () => {
  const rows = shipmentsOf(
    parseList('A-1\t\n\t123\nA-2\t6.01235E+11\nA-3\t1e5\nA-4\tE12'),
    { number: 0, tracking: 1, courier: null },
    couriers,
    null,
  );
  assert.deepEqual(
    rows.map(({ fault }) => fault),
    ['tracking_missing', 'number_missing', 'number_rounded', 'number_rounded', null],
  );
});

test('a pasted block with order numbers: each tracking number goes to its order, also for a single row', () => {
  const orders = [
    { id: 7, order_number: '20261116-1' },
    { id: 8, order_number: '20261116-2' },
  ];
  const paste = (text: string) => pastedShipments(text, orders, couriers);
  assert.equal(paste('6012'), null);
  assert.equal(paste('6012\n6013'), null);
  assert.deepEqual(paste('20261116-2\t6012'), {
    found: [{ id: 8, tracking_number: '6012', courier_code: null }],
    unknown: [],
    unknown_couriers: [],
  });
  assert.deepEqual(paste('6013\t20261116-2\tCJ\n6012\t20261116-1\tCJ\n6014\tELSEWHERE\tCJ'), {
    found: [
      { id: 8, tracking_number: '6013', courier_code: 'CJ' },
      { id: 7, tracking_number: '6012', courier_code: 'CJ' },
    ],
    unknown: ['ELSEWHERE'],
    unknown_couriers: [],
  });
  assert.deepEqual(paste('20261116-2\t6012\tDHL'), {
    found: [{ id: 8, tracking_number: '6012', courier_code: null }],
    unknown: [],
    unknown_couriers: ['DHL'],
  });
});

test('a list written as CSV is read back unchanged, whatever its cells contain', () => {
  const cell = fc
    .string({ minLength: 1, maxLength: 8 })
    .filter((text) => text.trim() === text && !/^[='\u{FEFF}]/u.test(text) && !text.includes('\r'));
  fc.assert(
    fc.property(
      fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\t', ';', ','),
      (rows, separator) => {
        const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const text = [['order number', 'tracking number'], ...rows]
          .map((cells) => cells.map(quoted).join(separator))
          .join('\n');
        // A tab always wins, and a semicolon wins a tie with commas: such a character in a cell changes the separator.
        fc.pre(separator === '\t' || !text.includes('\t'));
        fc.pre(separator !== ',' || !text.includes(';'));
        assert.deepEqual(
          parseList(text).rows.map(({ cells }) => cells),
          rows,
        );
      },
    ),
  );
});
