import { Badge, Button } from '@mantine/core';
import { PackageX } from 'lucide-react';
import { useState } from 'react';
import { Link, useParams } from 'react-router';
import { ApiError } from '../../api/error.ts';
import { useGet } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { useCan } from '../../api/session.ts';
import type { OrderDetail } from '../../api/types.ts';
import { EmptyState, Page, Reading, StatusBadge } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { MoveButtons } from '../orders/move-buttons.tsx';
import { movesOf, type Move } from '../orders/moves.ts';
import { Amounts, Recipient, Shipment } from './facts.tsx';
import { History } from './history.tsx';
import { Lines } from './lines.tsx';
import { MoveDialog } from './move-dialog.tsx';
import './order.css';
import { words } from './words.ts';

export default function Order() {
  const w = useWords(words);
  const { id = '' } = useParams();
  const order = useGet(apiPath('/orders/{id}', { id }));
  const { data } = order;
  const isUnknown = order.error instanceof ApiError && order.error.status === 404;
  return (
    <Page
      title={data ? <Heading order={data} /> : w.title}
      tab={data ? w.titleOf(data.order_number) : w.title}
      back={{ to: '/orders', label: w.orders }}
      {...(data ? { actions: <Moves order={data} /> } : {})}
    >
      {isUnknown ? (
        <EmptyState
          icon={<PackageX size={28} strokeWidth={1.5} aria-hidden />}
          title={w.notFound}
          text={w.notFoundText}
          action={
            <Button component={Link} to="/orders" variant="default">
              {w.toList}
            </Button>
          }
        />
      ) : (
        <Reading query={order} lines={10}>
          {(found) => (
            <div className="order-parts">
              <div className="order-cards">
                <Amounts order={found} />
                <Recipient order={found} />
                <Shipment order={found} />
              </div>
              <Lines order={found} />
              <History order={found} />
            </div>
          )}
        </Reading>
      )}
    </Page>
  );
}

function Heading({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  return (
    <span className="order-heading">
      <span>{w.titleOf(order.order_number)}</span>
      <StatusBadge status={order.status} />
      {order.is_backorder && <Badge color="orange">{w.backorder}</Badge>}
    </span>
  );
}

function Moves({ order }: { order: OrderDetail }) {
  const canMoveOrders = useCan('operator');
  const [move, setMove] = useState<Move | null>(null);
  if (!canMoveOrders) return null;
  return (
    <>
      <MoveButtons moves={movesOf([order.status])} onMove={setMove} />
      {move !== null && <MoveDialog order={order} move={move} onClose={() => setMove(null)} />}
    </>
  );
}
