import { Button, Table, Text, TextInput } from '@mantine/core';
import { Undo2 } from 'lucide-react';
import { useState } from 'react';
import { apiPath } from '../../../api/address.ts';
import { codeOf } from '../../../api/error.ts';
import { refresh, useSend } from '../../../api/query.ts';
import { path, post } from '../../../api/request.ts';
import type { OrderDetail, OrderLine } from '../../../api/types.ts';
import { Problem, ReasonField, useForm, useNarrow, FormDialog } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { TOUCHED } from '../touched.ts';
import { words } from './words.ts';

/** The quantity that was shipped and not returned yet. */
const returnable = ({ quantity, cancelled_quantity, returned_quantity }: OrderLine): number =>
  quantity - cancelled_quantity - returned_quantity;

/** A button for returns, shown if the order is shipped and goods can still be returned. */
export function ReturnButton({ order }: { order: OrderDetail }) {
  const w = useWords(words);
  const [isOpen, setIsOpen] = useState(false);
  if (order.status !== 3 || order.items.every((line) => returnable(line) === 0)) return null;
  return (
    <>
      <Button variant="default" leftSection={<Undo2 size={15} aria-hidden />} onClick={() => setIsOpen(true)}>
        {w.returnGoods}
      </Button>
      {isOpen && <ReturnDialog order={order} onClose={() => setIsOpen(false)} />}
    </>
  );
}

type Quantities = Record<string, string>;

const fieldOf = (line: number): string => `line-${line}`;
const isWhole = (text: string): boolean => /^\d{1,10}$/.test(text);

function ReturnDialog({ order, onClose }: { order: OrderDetail; onClose: () => void }) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const isNarrow = useNarrow();
  const lines = order.items.filter((line) => returnable(line) > 0);
  const send = useSend(
    async ({ reason, ...quantities }: Quantities) => {
      const items = lines.flatMap(({ line }) => {
        const quantity = Number(quantities[fieldOf(line)]?.trim());
        return quantity > 0 ? [{ line, quantity }] : [];
      });
      try {
        return await post(apiPath('/orders/{id}/returns', { id: order.id }), {
          items,
          reason: (reason ?? '').trim(),
        });
      } catch (error) {
        // Another operator has entered a return: show what can still be returned.
        if (codeOf(error) === 'return_exceeds_shipped') void refresh(path`/orders/${order.id}`);
        throw error;
      }
    },
    {
      refresh: TOUCHED,
      failure: 'inline',
      done: w.returnDone,
      onDone: () => {
        form.saved();
        onClose();
      },
    },
  );
  const form = useForm<Quantities>(
    { reason: '', ...Object.fromEntries(lines.map(({ line }) => [fieldOf(line), ''])) },
    { error: send.error, check: (values) => faultsOf(values) },
  );
  const faultsOf = ({ reason = '', ...quantities }: Quantities): Record<string, string> => {
    const faults: Record<string, string> = {};
    for (const one of lines) {
      const text = (quantities[fieldOf(one.line)] ?? '').trim();
      const most = returnable(one);
      if (text !== '' && (!isWhole(text) || Number(text) > most))
        faults[fieldOf(one.line)] = w.atMost(format.integer(most));
    }
    const [first] = lines;
    const isEmpty = Object.values(quantities).every((text) => Number(text.trim() || 0) === 0);
    if (Object.keys(faults).length === 0 && isEmpty && first) faults[fieldOf(first.line)] = w.nothingReturned;
    if (reason.trim() === '') faults['reason'] = c.required;
    return faults;
  };
  const takeAll = () =>
    form.set(Object.fromEntries(lines.map((one) => [fieldOf(one.line), String(returnable(one))])));
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={w.returnTitle}
      size="lg"
      fullScreen={isNarrow}
      onSubmit={form.submit((values) => send.mutate(values))}
      submit={w.returnDo}
      isSending={send.isPending}
    >
      <Text size="sm">{w.returnText}</Text>
      <Table aria-label={w.lines} className="order-return-table">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{c.variant}</Table.Th>
            <Table.Th ta="right">{w.shippedQuantity}</Table.Th>
            <Table.Th ta="right">{w.returnedQuantity}</Table.Th>
            <Table.Th w={140}>{w.comesBack}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {lines.map((one, at) => (
            <Table.Tr key={one.line}>
              <Table.Th scope="row">
                <span className="order-item">
                  <span className="mono order-code">{one.variant_code}</span>
                  <small>{one.product_name}</small>
                </span>
              </Table.Th>
              <Table.Td ta="right" className="num">
                {format.integer(one.quantity - one.cancelled_quantity)}
              </Table.Td>
              <Table.Td ta="right" className="num">
                {format.integer(one.returned_quantity)}
              </Table.Td>
              <Table.Td>
                <TextInput
                  size="xs"
                  inputMode="numeric"
                  autoComplete="off"
                  placeholder="0"
                  aria-label={w.comesBackOf(one.variant_code, format.integer(returnable(one)))}
                  {...(at === 0 ? { 'data-autofocus': true } : {})}
                  {...form.text(fieldOf(one.line))}
                />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Button variant="subtle" size="compact-sm" onClick={takeAll} style={{ alignSelf: 'flex-end' }}>
        {w.takeAll}
      </Button>
      <ReasonField description={w.returnReasonHint} minRows={2} {...form.text('reason')} />
      <Problem error={send.error} except={form.names} />
    </FormDialog>
  );
}
