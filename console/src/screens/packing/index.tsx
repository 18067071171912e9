/* oxlint-disable jsx-a11y/control-has-associated-label -- cells to tick on paper */
/* oxlint-disable jsx-a11y/no-noninteractive-tabindex -- on a phone a sheet is wider than the screen: scrolled by keyboard */
// Printed lists for the warehouse: a pick list for several orders, and a packing list with one page per order.
import { Badge, Button } from '@mantine/core';
import { Printer } from 'lucide-react';
import { useState } from 'react';
import { useGet } from '../../api/query.ts';
import type { PackedOrder, Packing, PickedVariant } from '../../api/types.ts';
import {
  EmptyState,
  LinkButton,
  Page,
  Reading,
  Time,
  useNarrow,
  useUrlState,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { isUnshipped } from '../../../../src/core/rules/transitions.ts';
import './packing.css';
import { words } from './words.ts';

/** Two columns of such codes leave enough room for the product on A4. */
const CODE_CHARACTERS_IN_LINE = 22;

export default function PackingScreen() {
  const w = useWords(words);
  const [{ paper, ids }] = useUrlState({ paper: 'packing', ids: '' });
  const packing = useGet(ids === '' ? null : '/orders/packing', { ids });
  return (
    <Page
      title={paper === 'pick' ? w.pickTitle : w.packingTitle}
      back={{ to: '/orders', label: w.orders }}
      actions={
        packing.data && (
          <Button leftSection={<Printer size={16} aria-hidden />} onClick={() => window.print()}>
            {w.print}
          </Button>
        )
      }
    >
      {ids === '' ? (
        <EmptyState
          title={w.nothing}
          text={w.nothingText}
          action={<LinkButton to="/orders" label={w.toList} />}
        />
      ) : (
        <Reading query={packing} lines={10}>
          {(data) =>
            paper === 'pick' ? (
              <PickList packing={data} />
            ) : (
              data.orders.map((order) => <PackingPage key={order.id} order={order} />)
            )
          }
        </Reading>
      )}
    </Page>
  );
}

function PickList({ packing: { orders: all, picks } }: { packing: Packing }) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const orders = all.filter(({ status }) => isUnshipped(status));
  const [printed] = useState(() => Date.now());
  const isNarrow = useNarrow();
  if (picks.length === 0) return <EmptyState title={w.noPicks} />;
  const total = picks.reduce((sum, { quantity }) => sum + quantity, 0);
  return (
    <section className="paper" tabIndex={0} aria-label={w.picks}>
      <h2 className="paper-title">{w.pickTitle}</h2>
      <p className="paper-subject">{w.forOrders(orders.length, format.dateTime(printed))}</p>
      <table className="paper-table">
        <thead>
          <tr>
            <ItemHeads />
            <th scope="col" data-align="right">
              {w.quantity}
            </th>
            {!isNarrow && (
              <th scope="col" data-align="right">
                {w.inOrders}
              </th>
            )}
            <th scope="col" data-align="right">
              {w.inStock}
            </th>
            <th scope="col" className="paper-check">
              {w.done}
            </th>
          </tr>
        </thead>
        <tbody>
          {picks.map((pick) => (
            <PickRow key={pick.variant_code} pick={pick} />
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={isNarrow ? 1 : 3}>
              {c.total}
            </th>
            <td data-align="right">
              <b>{format.integer(total)}</b>
            </td>
            <td colSpan={isNarrow ? 2 : 3} />
          </tr>
        </tfoot>
      </table>
      <p className="paper-numbers mono">{orders.map(({ order_number }) => order_number).join(' · ')}</p>
    </section>
  );
}

/** Headings of code, product and attributes. On a phone they share a column, so that the checkbox column stays visible. */
function ItemHeads() {
  const w = useWords(words);
  const c = useWords(common);
  const isNarrow = useNarrow();
  return (
    <>
      <th scope="col">{c.variant}</th>
      {!isNarrow && <th scope="col">{c.product}</th>}
      {!isNarrow && <th scope="col">{w.attributes}</th>}
    </>
  );
}

type Named = Pick<PickedVariant, 'variant_code' | 'product_name' | 'power' | 'attributes' | 'barcode'>;

function ItemCells({ of }: { of: Named & { sku?: string } }) {
  const isNarrow = useNarrow();
  const code = <Code text={of.variant_code} />;
  if (isNarrow)
    return (
      <th scope="row">
        {code}
        <div>{of.product_name}</div>
        <Attributes {...of} />
        {of.sku !== undefined && (
          <div className="paper-barcode">
            <Code text={of.sku} />
          </div>
        )}
      </th>
    );
  return (
    <>
      <th scope="row">{code}</th>
      <td>{of.product_name}</td>
      <td>
        <Attributes {...of} />
      </td>
    </>
  );
}

/** A code of usual length stays in one line: browsers break lines after a hyphen. */
const Code = ({ text }: { text: string }) => (
  <span className="mono paper-code" data-long={text.length > CODE_CHARACTERS_IN_LINE}>
    {text}
  </span>
);

/** Power, size, colour, …, and the barcode. */
function Attributes({ power, attributes, barcode }: Pick<PickedVariant, 'power' | 'attributes' | 'barcode'>) {
  const texts = [power, ...Object.values(attributes)].filter((text) => text !== null && text !== '');
  return (
    <>
      {texts.join(', ')}
      {barcode !== null && <div className="mono paper-barcode">{barcode}</div>}
    </>
  );
}

function PickRow({ pick }: { pick: PickedVariant }) {
  const w = useWords(words);
  const isNarrow = useNarrow();
  const format = useFormat();
  const { quantity, physical_stock: stock } = pick;
  const short = quantity - (stock ?? 0);
  return (
    <tr>
      <ItemCells of={pick} />
      <td data-align="right">
        <b>{format.integer(quantity)}</b>
        {isNarrow && <div className="paper-orders">{w.inOrdersOf(pick.orders)}</div>}
      </td>
      {!isNarrow && <td data-align="right">{format.integer(pick.orders)}</td>}
      <td data-align="right">
        {stock === null ? w.noRecord : format.integer(stock)}
        {short > 0 && <div className="paper-short">{w.short(format.integer(short))}</div>}
      </td>
      <td className="paper-check">
        <span className="paper-box" aria-hidden />
      </td>
    </tr>
  );
}

function PackingPage({ order }: { order: PackedOrder }) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const isNarrow = useNarrow();
  const total = order.items.reduce((sum, { quantity }) => sum + quantity, 0);
  const warning = order.status === 88 ? w.cancelled : order.status === 3 ? w.shipped : null;
  return (
    <section className="paper" tabIndex={0} aria-label={`${c.order} ${order.order_number}`}>
      <h2 className="paper-title">
        <span>{w.packingTitle}</span>
        <span className="mono">{order.order_number}</span>
        {order.is_backorder && <Badge color="orange">{c.backorder}</Badge>}
      </h2>
      {warning !== null && <p className="paper-warning">{warning}</p>}
      <dl className="paper-facts">
        {order.erased_at === null ? (
          <>
            <dt>{c.recipient}</dt>
            <dd className="paper-name">{order.recipient_name}</dd>
            <dt>{w.phone}</dt>
            <dd className="num">{order.recipient_phone}</dd>
            <dt>{c.address}</dt>
            <dd>{order.shipping_address}</dd>
          </>
        ) : (
          <>
            <dt>{c.recipient}</dt>
            <dd>{w.erased}</dd>
          </>
        )}
        <dt>{c.channel}</dt>
        <dd>{order.channel_name}</dd>
        <dt>{w.acceptedAt}</dt>
        <dd>
          <Time at={order.created_at} />
        </dd>
      </dl>
      <table className="paper-table">
        <thead>
          <tr>
            <ItemHeads />
            {!isNarrow && <th scope="col">{c.sku}</th>}
            <th scope="col" data-align="right">
              {w.quantity}
            </th>
            <th scope="col" className="paper-check">
              {w.done}
            </th>
          </tr>
        </thead>
        <tbody>
          {order.items.map((item, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- lines of an order never move
            <tr key={at}>
              <ItemCells of={item} />
              {!isNarrow && (
                <td>
                  <Code text={item.sku} />
                </td>
              )}
              <td data-align="right">
                <b>{format.integer(item.quantity)}</b>
              </td>
              <td className="paper-check">
                <span className="paper-box" aria-hidden />
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row" colSpan={isNarrow ? 1 : 4}>
              {c.total}
            </th>
            <td data-align="right">
              <b>{format.integer(total)}</b>
            </td>
            <td />
          </tr>
        </tfoot>
      </table>
    </section>
  );
}
