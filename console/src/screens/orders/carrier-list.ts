// Parses the list that a carrier sends back, pasted or from a file: order number, tracking number and courier, with the
// columns in any order.
import { courierOf, nearestCouriers, type KnownCourier } from '../../../../src/core/rules/couriers.ts';

interface ListRow {
  /** Line number in the text, from 1. */
  line: number;
  cells: string[];
}

export interface ListTable {
  /** Names of the columns; null: the list has no header. */
  header: string[] | null;
  rows: ListRow[];
  /** Number of cells in the widest row. */
  width: number;
}

/** Positions of the columns; null: not in the list. */
export interface ListColumns {
  number: number | null;
  tracking: number | null;
  courier: number | null;
}

const SEPARATORS = ['\t', ';', ','];

/** Tabs come first, because a spreadsheet copies cells with tabs; otherwise the separator that is in more lines. */
function separatorOf(text: string): string | null {
  const lines = text.split('\n');
  const counted = SEPARATORS.map((separator) => ({
    separator,
    lines: lines.filter((line) => line.includes(separator)).length,
  })).filter(({ lines: n }) => n > 0);
  const [first] = counted;
  if (first === undefined || first.separator === '\t') return first?.separator ?? null;
  return counted.reduce((best, one) => (one.lines > best.lines ? one : best)).separator;
}

/** A spreadsheet writes ="0123" or '0123 to keep a number as text. */
const cellOf = (raw: string): string =>
  raw
    .trim()
    .replace(/^="(.*)"$/su, '$1')
    .replace(/^'(?=[\p{L}\d])/u, '') // before other characters it may be part of an order number
    .trim();

/** Rows of cells with the line on which they start. As in CSV, a quoted cell may contain separators and line ends. */
function splitRows(text: string, separator: string): ListRow[] {
  const rows: ListRow[] = [];
  let [cells, cell, isQuoted, line, start]: [string[], string, boolean, number, number] = [
    [],
    '',
    false,
    1,
    1,
  ];
  const endRow = () => {
    rows.push({ line: start, cells: [...cells, cell].map(cellOf) });
    [cells, cell, start] = [[], '', line];
  };
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === '\n') line += 1;
    if (isQuoted) {
      if (sign !== '"') cell += sign;
      else if (text.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else isQuoted = false;
    } else if (sign === '"' && cell.trim() === '') [isQuoted, cell] = [true, ''];
    else if (sign === separator) {
      cells.push(cell);
      cell = '';
    } else if (sign === '\n') endRow();
    else cell += sign;
  }
  endRow();
  return rows;
}

export function parseList(given: string): ListTable {
  const text = given.replace(/^\u{FEFF}/u, '').replaceAll(/\r\n?/gu, '\n');
  const separator = separatorOf(text);
  const split =
    separator === null
      ? text.split('\n').map((line, at) => ({ line: at + 1, cells: line.trim().split(/\s+/u).map(cellOf) }))
      : splitRows(text, separator);
  const rows = split.filter(({ cells }) => cells.some((cell) => cell !== ''));
  const [first] = rows;
  const isHeader = first !== undefined && isNamed(columnsOfHeader(first.cells));
  return {
    header: isHeader ? first.cells : null,
    rows: isHeader ? rows.slice(1) : rows,
    width: Math.max(0, ...rows.map(({ cells }) => cells.length)),
  };
}

const isNamed = ({ number, tracking }: ListColumns): boolean => number !== null || tracking !== null;

const NAMES: Record<keyof ListColumns, RegExp> = {
  number: /^(?:.*주문번호|주문no|주문|order(?:number|num|no|nr|id)?)$/u,
  tracking:
    /^(?:.*(?:운송장|송장|등기)(?:번호|no)?|(?:.*tracking|.*waybill|awb|consignment)(?:number|num|no|nr|id|code)?)$/u,
  courier:
    /^(?:택배|.*(?:택배사|택배회사|배송사|배송업체|운송사)(?:명|코드)?|(?:courier|carrier|deliverycompany|shippingcompany)(?:code|name)?)$/u,
};

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_.#()-]+/gu, '');

function columnsOfHeader(cells: readonly string[]): ListColumns {
  const names = cells.map(plain);
  const find = (name: RegExp): number | null => {
    const at = names.findIndex((text) => name.test(text));
    return at === -1 ? null : at;
  };
  return { number: find(NAMES.number), tracking: find(NAMES.tracking), courier: find(NAMES.courier) };
}

const valuesOf = (table: ListTable, column: number): string[] =>
  table.rows.map(({ cells }) => cells[column] ?? '').filter((cell) => cell !== '');

/**
 * Finds the columns by the names in the header, otherwise by their content. `isOrderNumber` recognizes known orders. If it
 * recognizes none, the order number is taken to come before the tracking number, as in most lists.
 */
export function findColumns(
  table: ListTable,
  couriers: readonly KnownCourier[],
  isOrderNumber: (text: string) => boolean,
): ListColumns {
  const named = table.header
    ? columnsOfHeader(table.header)
    : { number: null, tracking: null, courier: null };
  const free = new Set(Array.from({ length: table.width }, (_, at) => at));
  for (const at of Object.values(named) as (number | null)[]) if (at !== null) free.delete(at);
  const take = (isIt: (column: number) => boolean): number | null => {
    const found = [...free].find(isIt) ?? null;
    if (found !== null) free.delete(found);
    return found;
  };
  const share = (column: number, is: (text: string) => boolean): number => {
    const values = valuesOf(table, column);
    return values.length === 0 ? 0 : values.filter(is).length / values.length;
  };
  const courier =
    named.courier ?? take((column) => share(column, (text) => courierOf(text, couriers) !== null) >= 0.5);
  const known = [...free].map((column) => share(column, isOrderNumber));
  const best = Math.max(0, ...known);
  const number = named.number ?? take((column) => best === 0 || share(column, isOrderNumber) === best);
  const tracking = named.tracking ?? take((column) => share(column, looksTracked) >= 0.5) ?? take(() => true);
  // Names that resemble a courier, or the only other column of a list without a header: its unknown names are shown as
  // faults of their rows, instead of being left out silently.
  const other =
    take((column) => share(column, (text) => nearestCouriers(text, couriers).length > 0) >= 0.5) ??
    (table.header === null && table.width === 3 ? take((column) => !share(column, looksTracked)) : null);
  return { number, tracking, courier: courier ?? other };
}

/** Mostly digits, such as 6012-3456-7890 or RR123456789KR. */
const looksTracked = (text: string): boolean => text.replaceAll(/\D/gu, '').length * 2 > text.length;

type RowFault = 'number_missing' | 'tracking_missing' | 'number_rounded';

export interface ListedShipment {
  line: number;
  order_number: string;
  tracking_number: string;
  /** As given, if the courier is unknown: the service refuses the row. null: not given. */
  courier_code: string | null;
  fault: RowFault | null;
}

/** Such as 6.01235E+11: a spreadsheet has rounded the number, so its digits are lost. */
const isRounded = (text: string): boolean => /^\d(?:[.,]\d+)?e\+?\d+$/iu.test(text);

export function shipmentsOf(
  table: ListTable,
  columns: ListColumns,
  couriers: readonly KnownCourier[],
  courierForRest: string | null,
): ListedShipment[] {
  return table.rows.map(({ line, cells }) => {
    const at = (column: number | null): string => (column === null ? '' : (cells[column] ?? ''));
    const [order_number, tracking_number, given] = [
      at(columns.number),
      at(columns.tracking),
      at(columns.courier),
    ];
    const courier_code = given === '' ? courierForRest : (courierOf(given, couriers)?.code ?? given);
    const fault: RowFault | null =
      order_number === ''
        ? 'number_missing'
        : tracking_number === ''
          ? 'tracking_missing'
          : isRounded(order_number) || isRounded(tracking_number)
            ? 'number_rounded'
            : null;
    return {
      line,
      order_number,
      tracking_number,
      courier_code,
      fault,
    };
  });
}

interface NumberedOrder {
  id: number;
  order_number: string;
}

export interface PastedShipments {
  found: { id: number; tracking_number: string; courier_code: string | null }[];
  /** Order numbers that are not among the orders. */
  unknown: string[];
  unknown_couriers: string[];
}

/** Assigns a pasted block to orders by its order numbers, whichever field it was pasted into; null: not such a block. */
export function pastedShipments(
  text: string,
  orders: readonly NumberedOrder[],
  couriers: readonly KnownCourier[],
): PastedShipments | null {
  const table = parseList(text);
  if (table.width < 2) return null;
  const ids = new Map(orders.map(({ id, order_number }) => [order_number, id]));
  const columns = findColumns(table, couriers, (number) => ids.has(number));
  const rows = shipmentsOf(table, columns, couriers, null).filter(({ fault }) => fault === null);
  const isKnown = (courier: string | null) => couriers.some(({ code }) => code === courier);
  const found = rows.flatMap(({ order_number, tracking_number, courier_code }) => {
    const id = ids.get(order_number);
    return id === undefined
      ? []
      : [{ id, tracking_number, courier_code: isKnown(courier_code) ? courier_code : null }];
  });
  const unknown = rows.map((row) => row.order_number).filter((number) => !ids.has(number));
  const named = rows.flatMap(({ courier_code }) => (courier_code === null ? [] : [courier_code]));
  return { found, unknown, unknown_couriers: [...new Set(named)].filter((courier) => !isKnown(courier)) };
}
