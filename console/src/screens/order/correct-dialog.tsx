import { Select, Stack, Text, TextInput } from '@mantine/core';
import { TRACKING_NUMBER_CHARACTERS_MAX } from '../../../../src/domain/order-limits.ts';
import { apiPath } from '../../api/address.ts';
import { useAll, useGet, useSend } from '../../api/query.ts';
import { patch } from '../../api/request.ts';
import type { OrderDetail } from '../../api/types.ts';
import { Dialog, DialogButtons, Problem, Reading, useForm } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { TOUCHED } from '../orders/touched.ts';
import { moveWords } from '../orders/words.ts';
import { words } from './words.ts';

interface CorrectProps {
  id: number;
  onClose: () => void;
}

/** Corrects the tracking number and the courier of a shipped order. */
export function CorrectDialog({ id, onClose }: CorrectProps) {
  const w = useWords(words);
  const order = useGet(apiPath('/orders/{id}', { id }));
  if (order.data) return <Form order={order.data} onClose={onClose} />;
  return (
    <Dialog isDirty={false} onClose={onClose} title={w.correctTitle}>
      <Reading query={order} lines={4}>
        {() => null}
      </Reading>
    </Dialog>
  );
}

function Form({ order: shown, onClose }: { order: OrderDetail; onClose: () => void }) {
  const w = useWords(words);
  const c = useWords(common);
  const m = useWords(moveWords);
  const { id, tracking_number, courier_code } = shown;
  const couriers = useAll(apiPath('/common-codes/{group}', { group: 'DELIVERY_COMPANY' }));
  const send = (body: { tracking_number?: string; courier_code?: string | null }) =>
    patch(apiPath('/orders/{id}/shipment', { id }), body);
  const save = useSend(
    (changed: { tracking_number?: string; courier_code?: string | null }) => send(changed),
    {
      refresh: TOUCHED,
      failure: 'inline',
      done: w.corrected,
      // The courier may have been deleted since: then only the tracking number can be put back.
      undo: (_, changed) => () =>
        send({
          ...(changed.tracking_number === undefined || tracking_number === null ? {} : { tracking_number }),
          ...(changed.courier_code === undefined ? {} : { courier_code }),
        }),
      onDone: () => {
        form.saved();
        onClose();
      },
    },
  );
  const form = useForm(
    { tracking_number: tracking_number ?? '', courier_code },
    {
      error: save.error,
      check: ({ tracking_number: typed }) => (typed.trim() === '' ? { tracking_number: c.required } : {}),
    },
  );
  const known = couriers.data?.map(({ code, name }) => ({ value: code, label: name })) ?? [];
  const isListed = courier_code === null || known.some(({ value }) => value === courier_code);
  return (
    <Dialog isDirty={form.isDirty} onClose={onClose} title={w.correctTitle}>
      <form
        onSubmit={form.submit((_, { tracking_number: typed, ...changed }) =>
          save.mutate({ ...changed, ...(typed === undefined ? {} : { tracking_number: typed.trim() }) }),
        )}
        noValidate
      >
        <Stack gap="sm">
          <Text size="sm">{w.correctText}</Text>
          <TextInput
            label={m.tracking}
            maxLength={TRACKING_NUMBER_CHARACTERS_MAX}
            autoComplete="off"
            data-autofocus
            {...form.text('tracking_number')}
          />
          <Select
            label={`${m.courier} (${c.optional})`}
            placeholder={m.noCourier}
            data={
              isListed
                ? known
                : [{ value: courier_code, label: shown.courier_name ?? courier_code }, ...known]
            }
            searchable
            clearable
            clearButtonProps={{ 'aria-label': c.clear }}
            {...form.choice('courier_code')}
          />
          <Problem error={couriers.error ?? save.error} except={form.names} />
          <DialogButtons submit={c.save} isSending={save.isPending} onClose={onClose} />
        </Stack>
      </form>
    </Dialog>
  );
}
