import { Alert, Button, Group, Stack } from '@mantine/core';
import { Check, CircleAlert, X } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { BulkStatusResult, OrderRow } from '../../api/types.ts';
import { DataTable, OrderLink, useStatusName, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import type { Move } from './moves.ts';
import { firstFault, useRefusal, type MoveRefusal } from './refusal.ts';
import { words } from './words.ts';

type Result = BulkStatusResult['results'][number];
export const refusalOfResult = (result: Result, move: Move): MoveRefusal => ({
  ...result,
  error: firstFault(result.details, result.errors ?? {}) ?? result.error ?? '',
  requested: move,
});

export interface OrderResult {
  order: OrderRow;
  result: Result;
}

interface ResultsProps {
  move: Move;
  results: readonly OrderResult[];
  onClose: () => void;
}

/** The result of each order; failures come first. */
export function Results({ move, results, onClose }: ResultsProps) {
  const w = useWords(words);
  const c = useWords(common);
  const summary = useRef<HTMLDivElement>(null);
  // Focus the summary: with the focus on the button below a long table, only the end of the table would be visible.
  useEffect(() => summary.current?.focus(), []);
  const failed = results.filter(({ result }) => !result.ok);
  const done = results.filter(({ result }) => result.ok);
  const columns: Column<OrderResult>[] = [
    {
      key: 'order',
      header: c.order,
      primary: true,
      cell: ({ order }) => <OrderLink id={order.id} number={order.order_number} />,
    },
    { key: 'recipient', header: c.recipient, cell: ({ order }) => order.recipient_name },
    {
      key: 'result',
      header: w.result,
      width: '50%',
      cell: ({ result }) => <Outcome result={result} move={move} />,
    },
  ];
  return (
    <Stack gap="sm">
      <Alert
        ref={summary}
        tabIndex={-1}
        role="status"
        p="sm"
        color={failed.length > 0 ? 'red' : 'water'}
        icon={failed.length > 0 ? <CircleAlert size={18} aria-hidden /> : <Check size={18} aria-hidden />}
      >
        {failed.length > 0 ? w.someFailed(done.length, failed.length) : w.allDone(done.length)}
      </Alert>
      <DataTable
        label={w.results}
        columns={columns}
        rows={[...failed, ...done]}
        rowKey={({ order }) => order.id}
      />
      <Group justify="flex-end">
        <Button onClick={onClose}>{c.close}</Button>
      </Group>
    </Stack>
  );
}

function Outcome({ result, move }: { result: Result; move: Move }) {
  const w = useWords(words);
  const name = useStatusName();
  const refusal = useRefusal();
  const { ok, status } = result;
  const text = ok ? w.done(name(status ?? move)) : refusal(refusalOfResult(result, move));
  return (
    <span className="orders-outcome" data-ok={ok}>
      {ok ? <Check size={15} aria-hidden /> : <X size={15} aria-hidden />}
      {text}
    </span>
  );
}
