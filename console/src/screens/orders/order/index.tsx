import { ActionIcon, Badge, Tooltip } from '@mantine/core';
import { ChevronDown, ChevronUp, PackageX } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { ApiError } from '../../../api/error.ts';
import { useGet } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { path } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { OrderDetail } from '../../../api/types.ts';
import { EmptyState, LinkButton, Page, Reading, StatusBadge } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { MoveButtons } from '../move-buttons.tsx';
import { movesOf, type Move } from '../moves.ts';
import { PrintLinks } from '../print-links.tsx';
import { Amounts, Recipient, Shipment } from './facts.tsx';
import { History } from './history.tsx';
import { Lines } from './lines.tsx';
import { MoveDialog } from './move-dialog.tsx';
import { useNeighbours } from './neighbours.ts';
import './order.css';
import { Requests } from './requests.tsx';
import { ReturnButton } from './return-dialog.tsx';
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
      {...(data ? { actions: <Actions order={data} /> } : {})}
    >
      {isUnknown ? (
        <EmptyState
          icon={PackageX}
          title={w.notFound}
          text={w.notFoundText}
          action={<LinkButton to="/orders" label={w.toList} />}
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
              <Requests order={found} />
            </div>
          )}
        </Reading>
      )}
    </Page>
  );
}

function Heading({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const c = useWords(common);
  return (
    <span className="order-heading">
      <span>{w.titleOf(order.order_number)}</span>
      <StatusBadge status={order.status} />
      {order.is_backorder && <Badge color="orange">{c.backorder}</Badge>}
    </span>
  );
}

function Actions({ order }: { order: OrderDetail }) {
  const canMoveOrders = useCan('operator');
  const [move, setMove] = useState<Move | null>(null);
  return (
    <>
      <Walk order={order} />
      {canMoveOrders && (
        <>
          <PrintLinks ids={[order.id]} papers={['packing']} />
          <ReturnButton order={order} />
          <MoveButtons moves={movesOf([order.status])} onMove={setMove} />
        </>
      )}
      {move !== null && <MoveDialog order={order} move={move} onClose={() => setMove(null)} />}
    </>
  );
}

/** Links to the previous and next order in the list from which the order was opened. */
function Walk({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const neighbours = useNeighbours(order.id);
  if (neighbours === null) return null;
  const step = (to: number | null, name: string, icon: ReactNode) => (
    <Tooltip label={name}>
      {to === null ? (
        <ActionIcon variant="default" size={36} aria-label={name} disabled>
          {icon}
        </ActionIcon>
      ) : (
        <ActionIcon component={Link} to={path`/orders/${to}`} variant="default" size={36} aria-label={name}>
          {icon}
        </ActionIcon>
      )}
    </Tooltip>
  );
  return (
    <ActionIcon.Group>
      {step(neighbours.previous, w.previous, <ChevronUp size={18} aria-hidden />)}
      {step(neighbours.next, w.next, <ChevronDown size={18} aria-hidden />)}
    </ActionIcon.Group>
  );
}
