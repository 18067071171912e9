// Moves a part of one channel's pre-allocation to another channel; the sum stays the same.
import { Select, Text } from '@mantine/core';
import { useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import type { AllocationRow, Channel } from '../../api/types.ts';
import {
  NumberField,
  Problem,
  useForm,
  useNumberFault,
  wholeNumber,
  FormDialog,
} from '../../components/index.ts';
import { codeOf } from '../../api/error.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { STALE_PATHS } from '../../components/stock-terms.ts';
import { words } from './words.ts';

interface MoveProps {
  row: AllocationRow;
  channels: readonly Channel[];
  onClose: () => void;
}

interface Values {
  from: string | null;
  to: string | null;
  quantity: string;
}

const transfer = (variant_code: string, from: string | null, to: string | null, quantity: string) =>
  post('/allocations/transfers', {
    variant_code,
    from_channel_id: Number(from),
    to_channel_id: Number(to),
    quantity: wholeNumber(quantity) ?? 0,
  });

export function MoveDialog({ row, channels, onClose }: MoveProps) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const faultOf = useNumberFault();
  const heldBy = (id: string | null): number =>
    row.cells.find(({ channel_id }) => String(channel_id) === id)?.allocated_qty ?? 0;
  const givers = channels.filter(({ id }) => heldBy(String(id)) > 0);
  const save = useSend(
    ({ from: giver, to, quantity }: Values) => transfer(row.variant_code, giver, to, quantity),
    {
      refresh: STALE_PATHS,
      failure: 'inline',
      done: (_now, { quantity }) => w.moved(format.integer(wholeNumber(quantity) ?? 0)),
      undo:
        (_now, { from: giver, to, quantity }) =>
        () =>
          transfer(row.variant_code, to, giver, quantity),
      onDone: () => {
        form.saved();
        onClose();
      },
    },
  );
  const form = useForm<Values>(
    { from: givers.length === 1 ? String(givers[0]?.id) : null, to: null, quantity: '' },
    {
      error: save.error,
      check: ({ from, to, quantity }) => {
        const n = wholeNumber(quantity, 1);
        return {
          ...(from === null ? { from: c.required } : {}),
          ...(to === null ? { to: c.required } : to === from ? { to: w.otherChannel } : {}),
          ...(n === null
            ? { quantity: faultOf(quantity, { min: 1 }) ?? c.required }
            : n > heldBy(from)
              ? { quantity: w.tooMuch(format.integer(heldBy(from))) }
              : {}),
        };
      },
    },
  );
  const { from } = form.values;
  const option = ({ id, name }: Channel) => ({ value: String(id), label: name });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={w.moveTitle(row.variant_code)}
      onSubmit={form.submit((values) => save.mutate(values))}
      submit={w.move}
      isSending={save.isPending}
    >
      <Select
        label={w.moveFrom}
        data={givers.map((channel) => ({
          value: String(channel.id),
          label: w.holds(channel.name, format.integer(heldBy(String(channel.id)))),
        }))}
        {...form.choice('from')}
      />
      <Select
        label={w.moveTo}
        searchable
        data={channels.filter(({ id, is_active }) => is_active && String(id) !== from).map(option)}
        {...form.choice('to')}
      />
      <NumberField label={c.quantity} min={1} {...form.text('quantity')} />
      <Text size="xs" c="dimmed">
        {w.moveHint}
      </Text>
      {codeOf(save.error) === 'allocation_insufficient' ? (
        <Problem error={new Error(w.moveLess)} />
      ) : (
        <Problem error={save.error} except={form.names} />
      )}
    </FormDialog>
  );
}
