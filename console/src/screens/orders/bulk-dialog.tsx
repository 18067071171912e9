import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useCallback, useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from 'react';
import { TRACKING_NUMBER_CHARACTERS_MAX } from '../../../../src/core/rules/order-limits.ts';
import { useAll, useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { post } from '../../api/request.ts';
import type { CommonCode, OrderRow, StatusReport } from '../../api/types.ts';
import {
  Dialog,
  Loading,
  Problem,
  ReasonField,
  useForm,
  useNarrow,
  useStatusName,
  type Form,
} from '../../components/index.ts';
import { toastBad } from '../../components/toast.tsx';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { pastedShipments } from './carrier-list.ts';
import { keepFailures } from './kept-failures.tsx';
import { TOUCHED } from './touched.ts';
import { CANCEL, SHIP, type Move } from './moves.ts';
import { refusalOfResult, Results, type OrderResult } from './results.tsx';
import { draftOf, ShipTable, type Draft, type Drafts, type SetDraft } from './ship-table.tsx';
import { listWords, moveWords, words } from './words.ts';

interface BulkProps {
  move: Move;
  orders: readonly OrderRow[];
  /** Stored in the page, so that the input for a failed order is still there the next time. */
  drafts: Drafts;
  onDraft: SetDraft;
  onResults: (results: OrderResult[]) => void;
  onClose: () => void;
}

/** Asks for the input of a status change, sends it, and shows the result of each order. */
export function BulkDialog({ move, orders: selected, drafts, onDraft, onResults, onClose }: BulkProps) {
  const w = useWords(words);
  const name = useStatusName();
  const isNarrow = useNarrow();
  // The orders selected when the dialog opened: the list behind it keeps changing.
  const [orders] = useState(selected);
  const [results, setResults] = useState<OrderResult[] | null>(null);
  const send = useSend(
    (reportOf: (order: OrderRow) => Omit<StatusReport, 'status'>) =>
      post('/orders/bulk-status', {
        changes: orders.map((order) => ({ id: order.id, status: move, ...reportOf(order) })),
      }),
    {
      refresh: TOUCHED,
      failure: 'inline',
      onDone: (answer) => {
        const paired = orders.flatMap((order, at) => {
          const result = answer.results[at];
          return result ? [{ order, result }] : [];
        });
        reason.saved();
        setResults(paired);
        onResults(paired);
        if (move === SHIP) keepFailed(paired);
      },
    },
  );

  const reason = useForm({ reason: '' }, { error: send.error });
  const keepFailed = (done: readonly OrderResult[]) =>
    keepFailures(
      done.flatMap(({ order, result }) =>
        result.ok
          ? []
          : [
              {
                order_number: order.order_number,
                order_id: order.id,
                tracking_number: draftOf(drafts, order).tracking_number,
                refusal: refusalOfResult(result, move),
              },
            ],
      ),
      done.flatMap(({ order, result }) => (result.ok ? [order.order_number] : [])),
    );
  const titles: Partial<Record<Move, string>> = {
    [SHIP]: w.shipMany(orders.length),
    [CANCEL]: w.cancelMany(orders.length),
  };
  const form = {
    error: send.error,
    isSending: send.isPending,
    onClose,
  };
  return (
    <Dialog
      isDirty={reason.isDirty}
      onClose={onClose}
      title={results ? w.results : (titles[move] ?? w.askMany(orders.length, name(move)))}
      size={move === SHIP || results ? 'min(1000px, 96vw)' : 'md'}
      fullScreen={isNarrow && (move === SHIP || results !== null)}
    >
      {results ? (
        <Results move={move} results={results} onClose={onClose} />
      ) : move === SHIP ? (
        <ShipForm
          {...form}
          orders={orders}
          drafts={drafts}
          onDraft={onDraft}
          onSend={() => send.mutate((order) => reportOfDraft(draftOf(drafts, order)))}
        />
      ) : move === CANCEL ? (
        <CancelForm
          {...form}
          form={reason}
          onSend={(why) => send.mutate(() => (why === '' ? {} : { reason: why }))}
        />
      ) : (
        <MoveForm {...form} move={move} onSend={() => send.mutate(() => ({}))} />
      )}
    </Dialog>
  );
}

function reportOfDraft({ tracking_number, courier_code }: Draft): Omit<StatusReport, 'status'> {
  return { tracking_number: tracking_number.trim(), ...(courier_code === '' ? {} : { courier_code }) };
}

interface FormProps {
  error: Error | null;
  isSending: boolean;
  onClose: () => void;
}

function MoveForm({ move, onSend, ...form }: FormProps & { move: Move; onSend: () => void }) {
  const w = useWords(words);
  const m = useWords(moveWords);
  return (
    <Stack gap="sm">
      <Text size="sm">{w.askText}</Text>
      <Problem error={form.error} />
      <Buttons {...form}>
        <Button loading={form.isSending} onClick={onSend} data-autofocus>
          {m[`do${move}`]}
        </Button>
      </Buttons>
    </Stack>
  );
}

interface CancelProps extends FormProps {
  form: Form<{ reason: string }>;
  onSend: (reason: string) => void;
}

function CancelForm({ form, onSend, ...rest }: CancelProps) {
  const m = useWords(moveWords);
  return (
    <form onSubmit={form.submit(({ reason }) => onSend(reason.trim()))} noValidate>
      <Stack gap="sm">
        <Text size="sm">{m.cancelText}</Text>
        <ReasonField
          isOptional
          description={m.reasonHint}
          minRows={2}
          data-autofocus
          {...form.text('reason')}
        />
        <Problem error={rest.error} except={form.names} />
        <Buttons {...rest}>
          <Button type="submit" color="red" loading={rest.isSending}>
            {m.do88Many}
          </Button>
        </Buttons>
      </Stack>
    </form>
  );
}

interface ShipProps extends FormProps {
  orders: readonly OrderRow[];
  drafts: Drafts;
  onDraft: SetDraft;
  onSend: () => void;
}

function ShipForm({ orders, drafts, onDraft, onSend, ...rest }: ShipProps) {
  const w = useWords(words);
  const c = useWords(common);
  const m = useWords(moveWords);
  const couriers = useAll(apiPath('/common-codes/{group}', { group: 'DELIVERY_COMPANY' }));
  const [hasTried, setHasTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const missing = orders.filter((order) => draftOf(drafts, order).tracking_number.trim() === '');
  const codes = new Set(orders.map((order) => draftOf(drafts, order).courier_code));
  const [onlyCode = ''] = codes;

  const fill = useFill(orders, couriers.data ?? NONE, onDraft);
  const focusField = ({ id }: OrderRow) =>
    form.current?.querySelector<HTMLElement>(`[name="tracking-${id}"]`)?.focus();
  // A barcode scanner ends each number with Enter. Only the button ships, so that the last scan can still be checked.
  const goOn = (name: string) => {
    const at = orders.findIndex(({ id }) => name === `tracking-${id}`);
    const next = [...orders.slice(at + 1), ...orders.slice(0, at)].find((order) => missing.includes(order));
    if (next) focusField(next);
    else button.current?.focus();
  };
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    event.stopPropagation();
    if (document.activeElement instanceof HTMLInputElement) return goOn(document.activeElement.name);
    setHasTried(true);
    const [first] = missing;
    if (first === undefined) onSend();
    else focusField(first);
  };
  // Wait for the couriers: without them the courier names in a pasted list would be lost.
  if (couriers.isPending) return <Loading lines={orders.length} />;
  return (
    <form ref={form} onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm">{w.shipHint}</Text>
        {orders.length > 1 && (
          <NativeSelect
            label={w.courierForAll}
            maw={320}
            data={[
              ...(codes.size > 1 ? [{ value: '*', label: w.differs, disabled: true }] : []),
              { value: '', label: m.noCourier },
              ...(couriers.data ?? []).map((courier) => ({ value: courier.code, label: courier.name })),
            ]}
            value={codes.size > 1 ? '*' : onlyCode}
            onChange={({ currentTarget }) => {
              for (const { id } of orders) onDraft(id, { courier_code: currentTarget.value });
            }}
          />
        )}
        <Problem error={couriers.error} />
        <ShipTable
          orders={orders}
          couriers={couriers.data ?? NONE}
          drafts={drafts}
          faults={hasTried ? Object.fromEntries(missing.map(({ id }) => [id, c.required])) : NO_FAULTS}
          onChange={onDraft}
          onFill={fill}
        />
        <Problem error={rest.error} />
        <Buttons {...rest}>
          <Button ref={button} type="submit" loading={rest.isSending}>
            {m.do3}
          </Button>
        </Buttons>
      </Stack>
    </form>
  );
}

const NONE: readonly CommonCode[] = [];
const NO_FAULTS = {};

/**
 * Handles a block pasted from a spreadsheet. With order numbers, each tracking number goes to its order; a single column
 * fills the fields from the one it was pasted into.
 */
function useFill(
  orders: readonly OrderRow[],
  couriers: readonly CommonCode[],
  onDraft: SetDraft,
): (from: number, text: string) => boolean {
  const l = useWords(listWords);
  const fill = (from: number, text: string): boolean => {
    const pasted = pastedShipments(text, orders, couriers);
    if (pasted !== null) {
      for (const { id, tracking_number, courier_code } of pasted.found) {
        const tracking = tracking_number.slice(0, TRACKING_NUMBER_CHARACTERS_MAX);
        onDraft(id, { tracking_number: tracking, ...(courier_code === null ? {} : { courier_code }) });
      }
      const [first] = pasted.unknown;
      if (first !== undefined) toastBad(l.pasteUnknown(pasted.unknown.length, first));
      if (pasted.unknown_couriers.length > 0) toastBad(l.unknownCourier(pasted.unknown_couriers.join(', ')));
      return true;
    }
    const texts = text.trimEnd().split(/\r?\n/);
    if (texts.length < 2) return false;
    const start = orders.findIndex(({ id }) => id === from);
    for (const [at, { id }] of orders.slice(start).entries()) {
      const one = texts[at]?.trim();
      if (one !== undefined) onDraft(id, { tracking_number: one.slice(0, TRACKING_NUMBER_CHARACTERS_MAX) });
    }
    return true;
  };
  // A stable function, because TrackingField is memoized.
  const latest = useRef(fill);
  useEffect(() => {
    latest.current = fill;
  });
  return useCallback((from, text) => latest.current(from, text), []);
}

/** "Close" instead of "Cancel", which could be confused with "Cancel orders" beside it. */
function Buttons({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const c = useWords(common);
  return (
    <Group justify="flex-end">
      <Button variant="default" onClick={onClose}>
        {c.close}
      </Button>
      {children}
    </Group>
  );
}
