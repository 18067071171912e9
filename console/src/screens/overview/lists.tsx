// What needs attention: orders by status, refusals, items, unpaid orders.
import { Badge, Progress, Text } from '@mantine/core';
import { ArrowLeftRight, CircleCheck, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Overview } from '../../api/types.ts';
import { ItemLink, Money, OrderLink, StatusBadge, Time } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useLanguage } from '../../i18n/language.ts';
import { useReasons } from '../../i18n/reasons.ts';
import { useWords } from '../../i18n/words.ts';
import { Panel } from './panel.tsx';
import { words } from './words.ts';

interface Props {
  overview: Overview;
}

const Fine = ({ children }: { children: ReactNode }) => (
  <p className="overview-fine">
    <CircleCheck size={16} color="var(--good)" aria-hidden />
    {children}
  </p>
);

/** Open orders by status, with links to them, and the number of unmapped SKUs. */
export function Tiles({ overview }: Props) {
  const w = useWords(words);
  const format = useFormat();
  const { open_orders, unmapped_count } = overview;
  return (
    <nav aria-label={w.openOrders} className="overview-tiles">
      {open_orders.map(({ status, count }) => (
        <Link key={status} className="overview-tile" to={`/orders?status=${status}`}>
          <StatusBadge status={status} />
          <span className="overview-number">{format.integer(count)}</span>
        </Link>
      ))}
      <Link className="overview-tile" to="/mappings?tab=asked">
        <span className="overview-tile-name">
          <ArrowLeftRight size={14} aria-hidden />
          {w.unmapped}
        </span>
        <span className="overview-number" data-warn={unmapped_count > 0}>
          {format.integer(unmapped_count)}
        </span>
        <span className="only-read">{unmapped_count > 0 ? w.unmappedSome : w.unmappedNone}</span>
      </Link>
    </nav>
  );
}

/** Refused orders by reason, with the share of each reason. */
export function Refused({ overview, className }: Props & { className: string }) {
  const w = useWords(words);
  const reasons = useReasons();
  const lang = useLanguage();
  const format = useFormat();
  const percent = new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: 1 });
  const refused = overview.refused.reduce((total, { count }) => total + count, 0);
  const taken = overview.orders_per_hour.flatMap(({ counts }) => counts).reduce((total, n) => total + n, 0);
  return (
    <Panel
      title={w.refused}
      className={className}
      {...(refused === 0
        ? {}
        : { text: w.refusedShare(format.integer(refused), percent.format(refused / (refused + taken))) })}
    >
      {refused === 0 && <Fine>{w.noRefused}</Fine>}
      <ul className="overview-list">
        {overview.refused.map(({ reason, count }) => {
          const { name, text } = reasons(reason);
          return (
            <li key={reason}>
              <div className="overview-line">
                <Link to={`/refusals?reason=${encodeURIComponent(reason)}`}>{name}</Link>
                <span className="num">
                  {format.integer(count)} · {percent.format(count / refused)}
                </span>
              </div>
              <Progress value={(count / refused) * 100} size="xs" my={4} aria-hidden />
              <Text size="xs" c="dimmed">
                {text}
              </Text>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}

export function LowStock({ overview }: Props) {
  const w = useWords(words);
  const format = useFormat();
  return (
    <Panel title={w.lowStock} text={w.lowStockText}>
      {overview.overcommitted_count > 0 && (
        <p className="overview-overcommitted">
          <TriangleAlert size={16} aria-hidden />
          <Link to="/stock?overcommitted=true">{w.overcommitted(overview.overcommitted_count)}</Link>
        </p>
      )}
      {overview.low_stock.length === 0 && <Fine>{w.noLowStock}</Fine>}
      <ul className="overview-list">
        {overview.low_stock.map(({ variant_code, product_name, common_available, quantity }) => (
          <li key={variant_code} className="overview-line">
            <div>
              <ItemLink code={variant_code} />
              <Text size="xs" c="dimmed" lineClamp={1}>
                {product_name}
              </Text>
            </div>
            <div className="overview-end">
              <Badge color={common_available === 0 ? 'red' : 'yellow'}>
                {common_available === 0 ? w.soldOut : w.left(format.integer(common_available))}
              </Badge>
              <Text size="xs" c="dimmed" className="num">
                {w.physical(format.integer(quantity))}
              </Text>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function OldestUnpaid({ overview }: Props) {
  const w = useWords(words);
  return (
    <Panel title={w.oldestUnpaid} text={w.oldestUnpaidText}>
      {overview.oldest_unpaid.length === 0 && <Fine>{w.noUnpaid}</Fine>}
      <ul className="overview-list">
        {overview.oldest_unpaid.map(({ id, order_number, channel_name, created_at, total_amount }) => (
          <li key={id} className="overview-line">
            <div>
              <OrderLink id={id} number={order_number} />
              <Text size="xs" c="dimmed" lineClamp={1}>
                {channel_name}
              </Text>
            </div>
            <div className="overview-end">
              <Money amount={total_amount} />
              <Text size="xs" c="dimmed">
                <Time at={created_at} relative />
              </Text>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
