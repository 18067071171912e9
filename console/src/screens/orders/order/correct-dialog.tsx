import { Text } from '@mantine/core';
import { apiPath } from '../../../api/address.ts';
import { useGet, useSend } from '../../../api/query.ts';
import { patch } from '../../../api/request.ts';
import type { OrderDetail } from '../../../api/types.ts';
import { Dialog, Problem, Reading, useForm, FormDialog } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { TOUCHED } from '../touched.ts';
import { ShipmentFields } from './shipment-fields.tsx';
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
  const { id, tracking_number, courier_code } = shown;
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
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={w.correctTitle}
      onSubmit={form.submit((_, { tracking_number: typed, ...changed }) =>
        save.mutate({ ...changed, ...(typed === undefined ? {} : { tracking_number: typed.trim() }) }),
      )}
      submit={c.save}
      isSending={save.isPending}
    >
      <Text size="sm">{w.correctText}</Text>
      <ShipmentFields form={form} stored={shown} />
      <Problem error={save.error} except={form.names} />
    </FormDialog>
  );
}
