// Shipping from a carrier's list: paste it or choose a file, check every row, ship the orders that can be shipped.
import { Alert, Button, Group, NativeSelect, Stack, Text, Textarea } from '@mantine/core';
import { CircleAlert, CircleCheck } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { SHIPMENTS_MAX } from '../../../../src/core/rules/order-limits.ts';
import { apiPath } from '../../api/address.ts';
import { useAll, useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import type { CommonCode, ShipmentResult } from '../../api/types.ts';
import {
  Dialog,
  FileChoice,
  Problem,
  useNarrow,
  useTextFile,
  useUnsavedWarning,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import {
  findColumns,
  parseList,
  shipmentsOf,
  type ListColumns,
  type ListedShipment,
  type ListTable,
} from './carrier-list.ts';
import { keepFailures } from './kept-failures.tsx';
import { isFailed, ListRows, refusalOfRow, type CheckedRow } from './list-rows.tsx';
import { TOUCHED } from './touched.ts';
import { listWords, moveWords } from './words.ts';

/** Number of rows that are looked up to recognize the column with the order numbers. */
const SAMPLE_ROWS = 20;
const NO_COURIERS: readonly CommonCode[] = [];

interface Checked {
  table: ListTable;
  columns: ListColumns;
  rows: CheckedRow[];
}

type Send = { rows: ListedShipment[]; dry_run: boolean };

/** Returns one result per row. Rows that are faulty themselves are not sent. */
async function check({ rows, dry_run }: Send): Promise<CheckedRow[]> {
  const sound = rows.filter(({ fault }) => fault === null);
  const shipments = sound.map(({ order_number, tracking_number, courier_code }) => ({
    order_number,
    tracking_number,
    ...(courier_code === null ? {} : { courier_code }),
  }));
  const answer = shipments.length === 0 ? null : await post('/orders/shipments', { shipments, dry_run });
  const results = new Map<ListedShipment, ShipmentResult | null>(
    sound.map((row, at) => [row, answer?.results[at] ?? null]),
  );
  return rows.map((row) => ({ row, result: results.get(row) ?? null }));
}

/** Returns those texts that are order numbers. */
async function knownNumbers(texts: string[]): Promise<Set<string>> {
  const numbers = [...new Set(texts)].filter((text) => text.length <= 50);
  if (numbers.length === 0) return new Set();
  const { results } = await post('/orders/shipments', {
    shipments: numbers.map((order_number) => ({ order_number, tracking_number: '0' })),
    dry_run: true,
  });
  return new Set(
    results.flatMap(({ order_id, order_number }) => (order_id === null ? [] : [order_number ?? ''])),
  );
}

export function ListDialog({ onClose }: { onClose: () => void }) {
  const l = useWords(listWords);
  const c = useWords(common);
  const isNarrow = useNarrow();
  const couriers = useAll(apiPath('/common-codes/{group}', { group: 'DELIVERY_COMPANY' }));
  const known = couriers.data ?? NO_COURIERS;
  const [text, setText] = useState('');
  const [courier, setCourier] = useState('');
  const [checked, setChecked] = useState<Checked | null>(null);
  const [isDone, setIsDone] = useState(false);
  useUnsavedWarning(text.trim() !== '' && !isDone);

  const rowsOf = (table: ListTable, columns: ListColumns) =>
    shipmentsOf(table, columns, known, courier === '' ? null : courier);
  const dryRun = useSend(
    async (wish: { columns: ListColumns | null }): Promise<Checked> => {
      const table = parseList(text);
      if (table.rows.length === 0) throw new Error(l.noRows);
      if (table.rows.length > SHIPMENTS_MAX) throw new Error(l.tooManyRows(SHIPMENTS_MAX));
      const columns = wish.columns ?? (await recognise(table, known));
      if (columns.number === null || columns.tracking === null) throw new Error(l.noColumns);
      return { table, columns, rows: await check({ rows: rowsOf(table, columns), dry_run: true }) };
    },
    { failure: 'inline', onDone: setChecked },
  );
  const ship = useShip((now) => {
    setChecked(now);
    setIsDone(true);
  });
  const back = () => {
    setChecked(null);
    dryRun.reset();
    ship.reset();
  };
  const ready = checked?.rows.filter(({ result }) => result?.outcome === 'shipped').length ?? 0;
  return (
    <Dialog
      isDirty={text.trim() !== '' && !isDone}
      onClose={onClose}
      title={isDone ? l.resultTitle : l.title}
      size="min(1100px, 96vw)"
      fullScreen={isNarrow}
    >
      <Stack gap="sm">
        {checked === null ? (
          <Source
            text={text}
            courier={courier}
            couriers={known}
            onText={(next) => {
              setText(next);
              dryRun.reset();
            }}
            onCourier={setCourier}
          />
        ) : (
          <>
            <Verdict key={String(isDone)} rows={checked.rows} isDone={isDone} />
            {!isDone && (
              <Columns
                {...checked}
                isBusy={dryRun.isPending}
                onChange={(columns) => dryRun.mutate({ columns })}
              />
            )}
            <ListRows rows={checked.rows} isDone={isDone} />
          </>
        )}
        <Problem error={couriers.error ?? dryRun.error ?? ship.error} />
        <Group justify="flex-end" className="orders-list-buttons">
          {isDone ? (
            <Button onClick={onClose}>{c.close}</Button>
          ) : checked === null ? (
            <>
              <Button variant="default" onClick={onClose}>
                {c.cancel}
              </Button>
              <Button
                disabled={text.trim() === ''}
                loading={dryRun.isPending}
                onClick={() => dryRun.mutate({ columns: null })}
              >
                {l.check}
              </Button>
            </>
          ) : (
            <>
              <Button variant="default" onClick={back}>
                {l.back}
              </Button>
              <Button disabled={ready === 0} loading={ship.isPending} onClick={() => ship.mutate(checked)}>
                {l.ship(ready)}
              </Button>
            </>
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

function useShip(onDone: (now: Checked) => void) {
  const l = useWords(listWords);
  return useSend(
    async ({ rows }: Checked): Promise<CheckedRow[]> => {
      const sent = rows.filter(({ result }) => result?.outcome === 'shipped').map(({ row }) => row);
      const results = new Map((await check({ rows: sent, dry_run: false })).map((one) => [one.row, one]));
      return rows.map((one) => results.get(one.row) ?? one);
    },
    {
      refresh: TOUCHED,
      failure: 'inline',
      onDone: (rows, { table, columns }) => {
        onDone({ table, columns, rows });
        const failures = rows.filter(isFailed).map((one) => ({
          order_number: one.row.order_number === '' ? l.lineOf(one.row.line) : one.row.order_number,
          order_id: one.result?.order_id ?? null,
          tracking_number: one.row.tracking_number,
          refusal: refusalOfRow(one),
        }));
        keepFailures(
          failures,
          rows.filter((one) => !isFailed(one)).map(({ row }) => row.order_number),
        );
      },
    },
  );
}

/** Recognizes the columns by the header; without a header, the service is asked which cells are order numbers. */
async function recognise(table: ListTable, couriers: readonly CommonCode[]): Promise<ListColumns> {
  const named = findColumns(table, couriers, () => false);
  if (table.header !== null && named.number !== null) return named;
  const known = await knownNumbers(table.rows.slice(0, SAMPLE_ROWS).flatMap(({ cells }) => cells));
  return findColumns(table, couriers, (text) => known.has(text));
}

interface SourceProps {
  text: string;
  courier: string;
  couriers: readonly CommonCode[];
  onText: (text: string) => void;
  onCourier: (code: string) => void;
}

function Source({ text, courier, couriers, onText, onCourier }: SourceProps) {
  const l = useWords(listWords);
  const m = useWords(moveWords);
  const { fault, choose } = useTextFile((file) => onText(file.text));
  return (
    <>
      <Text size="sm">{l.hint}</Text>
      <Textarea
        label={l.paste}
        placeholder={'A-1001\t6012-3456-7890\tCJ\nA-1002\t6012-3456-7891\tCJ'}
        rows={10}
        spellCheck={false}
        data-autofocus
        classNames={{ input: 'mono' }}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
      />
      <Group gap="sm" align="flex-end" justify="space-between">
        <FileChoice onChoose={choose} />
        <NativeSelect
          label={l.courierForRest}
          data={[
            { value: '', label: m.noCourier },
            ...couriers.map(({ code, name }) => ({ value: code, label: name })),
          ]}
          value={courier}
          onChange={(event) => onCourier(event.currentTarget.value)}
        />
      </Group>
      {fault !== null && <Problem error={new Error(fault)} />}
    </>
  );
}

/** Focused when it appears, so that it is read first; the failed rows follow below it. */
function Verdict({ rows, isDone }: { rows: readonly CheckedRow[]; isDone: boolean }) {
  const l = useWords(listWords);
  const words = useRef<HTMLDivElement>(null);
  useEffect(() => words.current?.focus(), []);
  const failed = rows.filter(isFailed).length;
  const shipped = rows.filter(({ result }) => result?.outcome === 'shipped').length;
  const before = rows.length - failed - shipped;
  const text = (isDone ? l.done : l.verdict)(shipped, failed, before);
  const Icon = failed > 0 ? CircleAlert : CircleCheck;
  return (
    <Alert
      ref={words}
      tabIndex={-1}
      role="status"
      color={failed > 0 ? 'red' : 'water'}
      icon={<Icon size={18} aria-hidden />}
      p="sm"
    >
      {text}
    </Alert>
  );
}

interface ColumnsProps extends Checked {
  isBusy: boolean;
  onChange: (columns: ListColumns) => void;
}

/** Lets the operator correct the recognized columns. */
function Columns({ table, columns, isBusy, onChange }: ColumnsProps) {
  const l = useWords(listWords);
  const m = useWords(moveWords);
  const format = useFormat();
  const names: Record<keyof ListColumns, string> = {
    number: l.number,
    tracking: m.tracking,
    courier: m.courier,
  };
  const labelOf = (at: number): string => {
    const title = table.header?.[at] ?? '';
    const sample = table.rows[0]?.cells[at] ?? '';
    return `${format.integer(at + 1)}: ${title === '' ? sample : title}`;
  };
  const options = Array.from({ length: table.width }, (_, at) => ({ value: String(at), label: labelOf(at) }));
  return (
    <fieldset className="orders-list-columns" disabled={isBusy}>
      <legend>{l.columns}</legend>
      {(Object.keys(names) as (keyof ListColumns)[]).map((name) => (
        <NativeSelect
          key={name}
          size="xs"
          label={names[name]}
          data={[{ value: '', label: l.noColumn, disabled: name !== 'courier' }, ...options]}
          value={columns[name] === null ? '' : String(columns[name])}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...columns, [name]: value === '' ? null : Number(value) })
          }
        />
      ))}
    </fieldset>
  );
}
