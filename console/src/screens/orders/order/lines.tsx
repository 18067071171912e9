import { Title } from '@mantine/core';
import { Link } from 'react-router';
import { path } from '../../../api/request.ts';
import type { OrderDetail, OrderLine } from '../../../api/types.ts';
import { Count, DataTable, Money, type Column } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { words } from './words.ts';

/** With more lines than this, only visible ones are rendered; an order may have 1,000. */
const DRAWN_MAX = 100;
const BASE = 'KRW';

interface Line extends OrderLine {
  place: number;
}

export function Lines({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const c = useWords(common);
  const { local_currency_code: currency } = order;
  const localPrice: Column<Line> = {
    key: 'local',
    header: w.unitPrice(currency),
    align: 'right',
    cell: (line) => <Money amount={line.local_unit_price} currency={currency} />,
  };
  const localTotal: Column<Line> = {
    key: 'local-total',
    header: w.lineTotal(currency),
    align: 'right',
    cell: (line) => <Money amount={line.local_line_total} currency={currency} />,
  };
  const returned: Column<Line> = {
    key: 'returned',
    header: w.returnedQuantity,
    align: 'right',
    cell: (line) => <Count n={line.returned_quantity} />,
  };
  const columns: Column<Line>[] = [
    {
      key: 'sku',
      header: c.sku,
      primary: true,
      cell: ({ sku }) => <span className="mono order-code">{sku}</span>,
    },
    {
      key: 'variant',
      header: c.variant,
      cell: (line) => (
        <span className="order-item">
          <Link to={path`/stock/${line.variant_code}`} className="mono order-code">
            {line.variant_code}
          </Link>
          <small>{line.product_name}</small>
        </span>
      ),
    },
    { key: 'quantity', header: c.quantity, align: 'right', cell: ({ quantity }) => <Count n={quantity} /> },
    {
      key: 'cancelled',
      header: w.cancelled,
      align: 'right',
      cell: (line) => <Count n={line.cancelled_quantity} />,
    },
    {
      key: 'allocation',
      header: w.fromAllocation,
      align: 'right',
      cell: (line) => <Count n={line.from_allocation} />,
    },
    ...(order.returns.length === 0 ? [] : [returned]),
    ...(currency === BASE ? [] : [localPrice, localTotal]),
    {
      key: 'price',
      header: w.unitPrice(BASE),
      align: 'right',
      cell: ({ unit_price }) => <Money amount={unit_price} />,
    },
    {
      key: 'total',
      header: w.lineTotal(BASE),
      align: 'right',
      cell: ({ line_total }) => (
        <b>
          <Money amount={line_total} />
        </b>
      ),
    },
  ];
  return (
    <section aria-label={w.lines}>
      <Title order={2} mb="xs">
        {w.lines}
      </Title>
      <DataTable
        label={w.lines}
        columns={columns}
        rows={order.items.map((item, place) => ({ ...item, place }))}
        rowKey={({ place }) => place}
        virtual={order.items.length > DRAWN_MAX}
      />
    </section>
  );
}
