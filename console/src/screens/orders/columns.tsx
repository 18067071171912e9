import { useMemo } from 'react';
import { Link } from 'react-router';
import { path } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { OrderRow } from '../../api/types.ts';
import { Count, Money, StatusBadge, Tag, TrackingNumber, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { Together, useParcels } from './together.tsx';
import { words } from './words.ts';

export function useColumns(listed: readonly OrderRow[]): Column<OrderRow>[] {
  const w = useWords(words);
  const c = useWords(common);
  const parcels = useParcels(listed);
  // Viewers see masked recipients, by which the service refuses to sort.
  const canSort = useCan('operator');
  return useMemo(
    (): Column<OrderRow>[] => [
      {
        key: 'number',
        header: w.number,
        primary: true,
        sort: 'order_number',
        cell: ({ id, order_number }) => (
          <Link to={path`/orders/${id}`} className="mono orders-number">
            {order_number}
          </Link>
        ),
      },
      {
        key: 'at',
        header: w.acceptedAt,
        sort: 'created_at',
        cell: ({ created_at }) => <Moment at={created_at} />,
      },
      {
        key: 'status',
        header: c.status,
        cell: ({ status, is_backorder }) => (
          <span className="orders-badges">
            <StatusBadge status={status} />
            {is_backorder && <Tag color="orange">{c.backorder}</Tag>}
          </span>
        ),
      },
      { key: 'channel', header: c.channel, cell: ({ channel_name }) => <Name text={channel_name} /> },
      {
        key: 'lines',
        header: w.lines,
        align: 'right',
        cell: ({ item_count }) => <Count n={item_count} />,
      },
      {
        key: 'amount',
        header: w.amount,
        align: 'right',
        sort: 'total_amount',
        cell: (row) => <Amount row={row} />,
      },
      {
        key: 'recipient',
        header: c.recipient,
        ...(canSort ? { sort: 'recipient_name' } : {}),
        cell: (row) =>
          row.erased_at === null ? (
            <span className="orders-pair">
              <Name text={row.recipient_name} />
              <Together order={row} orders={parcels.get(row.id)} />
            </span>
          ) : (
            <span style={{ color: 'var(--mantine-color-dimmed)' }}>{w.erased}</span>
          ),
      },
      {
        key: 'shipment',
        header: w.shipment,
        cell: (row) => row.tracking_number !== null && <Shipment row={row} />,
      },
    ],
    [w, c, canSort, parcels],
  );
}

/** One long name must not push the other columns out of sight. The direction of a name does not change its neighbours. */
const Name = ({ text }: { text: string }) => (
  <bdi className="orders-name" title={text}>
    {text}
  </bdi>
);

/** Date and time in one line, with the seconds in the tooltip. */
function Moment({ at }: { at: string }) {
  const format = useFormat();
  return (
    <time dateTime={at} className="num" title={format.dateTime(at)}>
      {format.date(at)} {format.time(at)}
    </time>
  );
}

/** The amount in KRW and in the currency of the channel. */
const Amount = ({ row }: { row: OrderRow }) => (
  <span className="orders-pair">
    <Money amount={row.total_amount} />
    {row.local_currency_code !== 'KRW' && (
      <small>
        <Money amount={row.local_total_amount} currency={row.local_currency_code} />
      </small>
    )}
  </span>
);

const Shipment = ({ row }: { row: OrderRow }) => (
  <span className="orders-pair">
    <TrackingNumber number={row.tracking_number} link={row.tracking_link} />
    {row.courier_code !== null && <small>{row.courier_name ?? row.courier_code}</small>}
  </span>
);
