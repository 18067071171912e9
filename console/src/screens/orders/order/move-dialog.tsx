import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { refresh, useSend } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { path, post } from '../../../api/request.ts';
import type { OrderDetail, StatusReport } from '../../../api/types.ts';
import { Dialog, Problem, ReasonField, useForm, useStatusName } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { TOUCHED } from '../touched.ts';
import { CANCEL, canMove, SHIP, type Move } from '../moves.ts';
import { refusalOf, useRefusal } from '../refusal.ts';
import { shortageOf } from '../shortage.ts';
import { moveWords } from '../words.ts';
import { ShipmentFields } from './shipment-fields.tsx';
import { words } from './words.ts';

interface MoveProps {
  order: OrderDetail;
  move: Move;
  onClose: () => void;
}

/** Changes the status of one order: asks for the input it needs, and shows a refusal in the dialog. */
export function MoveDialog({ order, move, onClose }: MoveProps) {
  const w = useWords(words);
  const c = useWords(common);
  const m = useWords(moveWords);
  const name = useStatusName();
  const send = useSend(
    async (report: StatusReport) => {
      try {
        return await post(apiPath('/orders/{id}/status', { id: order.id }), report);
      } catch (error) {
        // Refused because the page shows an old state of the order: reload it.
        if (refusalOf(error, move)) void refresh(path`/orders/${order.id}`);
        throw error;
      }
    },
    {
      refresh: TOUCHED,
      failure: 'inline',
      done: w.moved(name(move)),
      onDone: () => {
        form.saved();
        onClose();
      },
    },
  );
  const form = useForm(
    {
      tracking_number: order.tracking_number ?? '',
      courier_code: order.courier_code,
      reason: '',
    },
    {
      error: send.error,
      check: ({ tracking_number }) =>
        move === SHIP && tracking_number.trim() === '' ? { tracking_number: c.required } : {},
    },
  );
  const titles: Partial<Record<Move, string>> = { [SHIP]: w.shipTitle, [CANCEL]: m.do88 };
  const fields: Partial<Record<Move, ReactNode>> = {
    [SHIP]: (
      <>
        <Text size="sm">{w.shipText}</Text>
        <ShipmentFields form={form} stored={order} />
      </>
    ),
    [CANCEL]: (
      <>
        <Text size="sm">{m.cancelText}</Text>
        <ReasonField
          isOptional
          description={m.reasonHint}
          minRows={2}
          data-autofocus
          {...form.text('reason')}
        />
      </>
    ),
  };
  return (
    <Dialog isDirty={form.isDirty} onClose={onClose} title={titles[move] ?? w.askTitle(name(move))}>
      <form onSubmit={form.submit((values) => send.mutate(reportOf(move, values)))} noValidate>
        <Stack gap="sm">
          {fields[move] ?? <Text size="sm">{w.askText}</Text>}
          <Refused error={send.error} order={order} move={move} names={form.names} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {c.close}
            </Button>
            {(canMove(order.status, move) || send.isPending) && (
              <Button
                type="submit"
                loading={send.isPending}
                {...(move === CANCEL ? { color: 'red' } : {})}
                {...(fields[move] ? {} : { 'data-autofocus': true })}
              >
                {m[`do${move}`]}
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

interface Values {
  tracking_number: string;
  courier_code: string | null;
  reason: string;
}

function reportOf(move: Move, { tracking_number, courier_code, reason }: Values): StatusReport {
  if (move === SHIP) {
    return {
      status: move,
      tracking_number: tracking_number.trim(),
      ...(courier_code === null ? {} : { courier_code }),
    };
  }
  return { status: move, ...(move === CANCEL && reason.trim() !== '' ? { reason: reason.trim() } : {}) };
}

interface RefusedProps {
  error: Error | null;
  order: OrderDetail;
  move: Move;
  names: string[];
}

/** A conflict in words, with a link to the item whose stock is short. */
function Refused({ error, order, move, names }: RefusedProps) {
  const w = useWords(words);
  const say = useRefusal();
  const refusal = refusalOf(error, move);
  if (refusal === null) return <Problem error={error} except={names} />;
  const sku = shortageOf(refusal.details)?.sku;
  const short = order.items.find((item) => item.sku === sku);
  return (
    <Alert color="red" icon={<CircleAlert size={18} aria-hidden />} role="alert" p="sm">
      {say(refusal)}
      {short && (
        <div>
          <Link className="order-alert-link" to={path`/stock/${short.variant_code}`}>
            {w.toStock(short.variant_code)}
          </Link>
        </div>
      )}
    </Alert>
  );
}
