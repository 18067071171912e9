import { Alert, Button, Group, Stack } from '@mantine/core';
import { Check, CircleAlert, X } from 'lucide-react';
import { Link } from 'react-router';
import { fieldTexts, type Fault } from '../../api/faults.ts';
import { path } from '../../api/request.ts';
import type { BulkStatusResult, OrderRow } from '../../api/types.ts';
import { DataTable, useStatusName, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import type { Move } from './moves.ts';
import { useRefusal } from './refusal.ts';
import { words } from './words.ts';

type Result = BulkStatusResult['results'][number];
export interface OrderResult {
  order: OrderRow;
  result: Result;
}

interface ResultsProps {
  move: Move;
  results: readonly OrderResult[];
  onClose: () => void;
}

/** What became of each order; those that failed come first. */
export function Results({ move, results, onClose }: ResultsProps) {
  const w = useWords(words);
  const c = useWords(common);
  const failed = results.filter(({ result }) => !result.ok);
  const done = results.filter(({ result }) => result.ok);
  const columns: Column<OrderResult>[] = [
    {
      key: 'order',
      header: w.order,
      primary: true,
      cell: ({ order }) => (
        <Link to={path`/orders/${order.id}`} className="mono">
          {order.order_number}
        </Link>
      ),
    },
    {
      key: 'result',
      header: w.result,
      width: '62%',
      cell: ({ result }) => <Outcome result={result} move={move} />,
    },
  ];
  return (
    <Stack gap="sm">
      <Alert
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
        <Button onClick={onClose} data-autofocus>
          {c.close}
        </Button>
      </Group>
    </Stack>
  );
}

/** Of an invalid change its first fault. */
function firstText({ error, details, errors }: Result): string {
  const faults = (details?.['faults'] ?? []) as Fault[];
  const [texts] = Object.values(fieldTexts(faults, errors ?? {}));
  return texts?.[0] ?? error ?? '';
}

function Outcome({ result, move }: { result: Result; move: Move }) {
  const w = useWords(words);
  const name = useStatusName();
  const refusal = useRefusal();
  const { ok, status } = result;
  const text = ok
    ? w.done(name(status ?? move))
    : refusal({ ...result, error: firstText(result), requested: move });
  return (
    <span className="orders-outcome" data-ok={ok}>
      {ok ? <Check size={15} aria-hidden /> : <X size={15} aria-hidden />}
      {text}
    </span>
  );
}
