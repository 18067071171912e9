// The channel's refused requests for this order number: refused orders and late reports.
import { Paper, Title } from '@mantine/core';
import { Link } from 'react-router';
import { useList } from '../../../api/query.ts';
import type { OrderDetail } from '../../../api/types.ts';
import { Time, useStatusName } from '../../../components/index.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useReasons } from '../../../i18n/reasons.ts';
import { useWords } from '../../../i18n/words.ts';
import { words as lateWords } from '../../refusals/words.ts';
import { words } from './words.ts';

export function Requests({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const r = useWords(lateWords);
  const reason = useReasons();
  const name = useStatusName();
  const format = useFormat();
  const query = { channel_id: order.channel_id, search: order.order_number };
  const refusals = useList('/refusals', query, { keep: false });
  const late = useList('/late-reports', query, { keep: false });
  // The search also finds numbers that only contain this one.
  const refused = refusals.rows.filter((row) => row.order_number === order.order_number);
  const lateOnes = late.rows.filter((row) => row.order_number === order.order_number);
  if (refused.length + lateOnes.length === 0) return null;
  const kinds = {
    report_after_cancel: r.report_after_cancel,
    resend_after_cancel: r.resend_after_cancel,
    cancel_after_ship: r.cancel_after_ship,
    report_unknown: r.report_unknown,
  };
  return (
    <Paper component="section" aria-label={w.requests}>
      <Title order={2} mb="xs">
        {w.requests}
      </Title>
      <ul className="order-requests">
        {lateOnes.map((one) => (
          <li key={`late ${one.id}`}>
            <b>{kinds[one.kind]}</b>
            {one.requested_status !== null && ` (${name(one.requested_status)})`}
            {one.count > 1 && ` · ${w.times(format.integer(one.count))}`} · <Time at={one.at} />
          </li>
        ))}
        {refused.map((one) => (
          <li key={`refused ${one.id}`}>
            <b>{w.refusedOrder(reason(one.reason).name)}</b>
            {one.sku !== null && (
              <>
                {' '}
                <span className="mono">{one.sku}</span>
              </>
            )}
            {one.requested !== null &&
              one.available !== null &&
              ` (${w.askedAndThere(format.integer(one.requested), format.integer(one.available))})`}
            {one.count > 1 && ` · ${w.times(format.integer(one.count))}`} · <Time at={one.at} />
          </li>
        ))}
      </ul>
      {refused.length > 0 && (
        <Link to={`/refusals?${new URLSearchParams({ search: order.order_number }).toString()}`}>
          {w.toRefusals}
        </Link>
      )}
    </Paper>
  );
}
