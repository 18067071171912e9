import { Alert, Button, Paper, Title } from '@mantine/core';
import { Package, Pencil, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { useState, type ReactNode } from 'react';
import { useGet } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { path } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { OrderDetail } from '../../../api/types.ts';
import { CopyButton, Money, OrderLink, StatusBadge, TrackingNumber } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { moveWords } from '../words.ts';
import { CorrectDialog } from './correct-dialog.tsx';
import { words } from './words.ts';

const BASE = 'KRW';

const isZero = (amount: string): boolean => /^0+(\.0+)?$/.test(amount);

const Card = ({ title, children }: { title: string; children: ReactNode }) => (
  <Paper component="section" aria-label={title}>
    <Title order={2} mb="xs">
      {title}
    </Title>
    {children}
  </Paper>
);

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="order-fact">
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

export function Amounts({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const { local_currency_code: currency, exchange_rate } = order;
  const channel = useGet(apiPath('/channels/{id}', { id: order.channel_id }));
  const isForeign = currency !== BASE;
  const hasNoRate = isForeign && isZero(exchange_rate);
  return (
    <Card title={w.amounts}>
      <dl className="order-facts">
        <Fact name={c.channel}>
          <Link to={path`/channels/${order.channel_id}`}>
            {channel.data?.name ?? (channel.isPending ? '…' : `#${order.channel_id}`)}
          </Link>
        </Fact>
        {isForeign && (
          <>
            <Fact name={w.localTotal(currency)}>
              <Money amount={order.local_total_amount} currency={currency} />
            </Fact>
            <Fact name={w.rate}>
              <span className="num">
                {hasNoRate ? c.none : w.rateIs(currency, format.money(exchange_rate, BASE))}
              </span>
            </Fact>
          </>
        )}
        <Fact name={w.total}>
          <b>
            <Money amount={order.total_amount} />
          </b>
        </Fact>
      </dl>
      {hasNoRate && (
        <Alert color="yellow" mt="sm" p="sm" icon={<TriangleAlert size={18} aria-hidden />}>
          {w.noRate}{' '}
          <Link className="order-alert-link" to={`/exchange-rates?currency_code=${currency}`}>
            {w.toRates}
          </Link>
        </Alert>
      )}
    </Card>
  );
}

export function Shipment({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const m = useWords(moveWords);
  const isShipped = order.status === 3;
  const canCorrect = useCan('operator') && isShipped && order.erased_at === null;
  const [isCorrecting, setIsCorrecting] = useState(false);
  const note = isShipped
    ? null
    : order.status === 88
      ? w.neverShipped
      : order.tracking_number === null
        ? w.notShipped
        : w.trackingKnown;
  return (
    <Card title={w.shipment}>
      {canCorrect && (
        <div className="order-correct">
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<Pencil size={14} aria-hidden />}
            onClick={() => setIsCorrecting(true)}
          >
            {w.correct}
          </Button>
        </div>
      )}
      {isCorrecting && <CorrectDialog id={order.id} onClose={() => setIsCorrecting(false)} />}
      {note !== null && <p className="order-note">{note}</p>}
      <dl className="order-facts">
        {order.tracking_number !== null && (
          <Fact name={m.tracking}>
            <span className="order-copied">
              <TrackingNumber number={order.tracking_number} link={order.tracking_link} />
              <CopyButton text={order.tracking_number} label={w.copyTracking} />
            </span>
          </Fact>
        )}
        {(isShipped || order.courier_code !== null) && (
          <Fact name={m.courier}>{order.courier_name ?? order.courier_code ?? m.noCourier}</Fact>
        )}
        {order.cancel_reason !== null && <Fact name={w.cancelReason}>{order.cancel_reason}</Fact>}
      </dl>
    </Card>
  );
}

export function Recipient({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const c = useWords(common);
  const canShip = useCan('operator');
  const format = useFormat();
  if (order.erased_at !== null) {
    return <Card title={c.recipient}>{w.erased(format.date(order.erased_at))}</Card>;
  }
  return (
    <Card title={c.recipient}>
      <dl className="order-facts">
        <Fact name={c.name}>{order.recipient_name}</Fact>
        <Fact name={w.phone}>
          <span className="num">{order.recipient_phone}</span>
        </Fact>
        <Fact name={c.address}>
          <span className="order-address">{order.shipping_address}</span>
        </Fact>
      </dl>
      {canShip && <SameRecipient order={order} />}
    </Card>
  );
}

/** Other orders that can go into the same parcel. */
function SameRecipient({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const parcels = useGet('/orders/parcels', { order_id: order.id });
  const others = parcels.data?.flatMap(({ orders }) => orders).filter(({ id }) => id !== order.id) ?? [];
  if (others.length === 0) return null;
  return (
    <Alert
      color="water"
      mt="sm"
      p="sm"
      icon={<Package size={18} aria-hidden />}
      title={w.sameParcel(others.length)}
    >
      <ul className="order-same">
        {others.map(({ id, order_number, status }) => (
          <li key={id}>
            <OrderLink id={id} number={order_number} /> <StatusBadge status={status} />
          </li>
        ))}
      </ul>
    </Alert>
  );
}
