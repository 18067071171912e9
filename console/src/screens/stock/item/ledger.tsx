import { Badge, Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useList } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import type { Movement } from '../../../api/types.ts';
import { StepLine } from '../../../components/charts/index.ts';
import {
  ActorName,
  Count,
  DataTable,
  EmptyState,
  OrderLink,
  Time,
  type Column,
} from '../../../components/index.ts';
import { Sentence } from '../../../components/sentence.tsx';
import { common } from '../../../i18n/common.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { useSigned } from './signed.ts';
import { words } from './words.ts';

const KIND_COLORS: Record<string, string> = {
  set: 'blue',
  adjustment: 'violet',
  shipment: 'water',
  import: 'gray',
  return: 'teal',
};

/** All movements of the physical stock, as a chart and as a table. */
export function Ledger({ code }: { code: string }) {
  const w = useWords(words);
  const list = useList(apiPath('/stock/{variant_code}/movements', { variant_code: code }));
  const columns = useColumns();
  // The chart shows the rows that the table has loaded, oldest first.
  const points = list.rows.map(({ at, quantity_after }) => ({ at, value: quantity_after })).toReversed();
  return (
    <section aria-labelledby="ledger">
      <Title order={2} id="ledger" mb="xs">
        {w.ledger}
      </Title>
      {points.length > 1 && (
        <Paper mb="sm">
          <StepLine title={w.ledgerChart} name={w.physicalStock} points={points} height={200} />
        </Paper>
      )}
      <DataTable
        label={w.ledger}
        columns={columns}
        rowKey={(row) => row.id}
        list={list}
        empty={<EmptyState title={w.noMovements} />}
      />
    </section>
  );
}

function useColumns(): Column<Movement>[] {
  const w = useWords(words);
  const c = useWords(common);
  const signed = useSigned();
  const kinds: Record<string, string> = {
    set: w.set,
    adjustment: w.adjustment,
    shipment: w.shipment,
    import: w.import,
    return: w.return,
  };
  return [
    { key: 'at', header: c.time, primary: true, cell: (row) => <Time at={row.at} /> },
    {
      key: 'kind',
      header: w.kind,
      cell: (row) => <Badge color={KIND_COLORS[row.kind] ?? 'gray'}>{kinds[row.kind] ?? row.kind}</Badge>,
    },
    {
      key: 'delta',
      header: w.change,
      align: 'right',
      cell: (row) => (
        <span className="num stock-item-delta" data-sign={Math.sign(row.delta)}>
          {signed(row.delta)}
        </span>
      ),
    },
    { key: 'after', header: w.after, align: 'right', cell: (row) => <Count n={row.quantity_after} /> },
    {
      key: 'what',
      header: w.what,
      cell: (row) => <What row={row} />,
    },
    {
      key: 'actor',
      header: w.actor,
      cell: ({ actor, actor_name }) => <ActorName actor={actor} name={actor_name} />,
    },
  ];
}

/** A movement as a sentence, with a link to its order. */
function What({ row }: { row: Movement }) {
  const w = useWords(words);
  const format = useFormat();
  const texts: Record<string, string> = {
    set: w.whatSet,
    adjustment: w.whatAdjusted,
    shipment: w.whatShipped,
    import: w.whatImported,
    return: w.whatReturned,
  };
  const parts: Record<string, ReactNode> = {
    before: format.integer(row.quantity_after - row.delta),
    after: format.integer(row.quantity_after),
    order: row.order_id !== null && (
      <OrderLink id={row.order_id} number={row.order_number ?? String(row.order_id)} />
    ),
  };
  const reason = row.kind === 'shipment' ? null : row.reason;
  return (
    <>
      <Sentence text={texts[row.kind] ?? row.kind} part={(name) => parts[name]} />
      {reason !== null && `: ${reason}`}
    </>
  );
}
