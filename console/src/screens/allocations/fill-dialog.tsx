// Fills a column with one number, for every shown item that the channel sells.
import { SegmentedControl, Select, Text } from '@mantine/core';
import type { AllocationRow, Channel } from '../../api/types.ts';
import { NumberField, useForm, useNumberFault, wholeNumber, FormDialog } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import type { CellActions } from './cell.tsx';
import type { Field } from './edits.ts';
import { words } from './words.ts';

interface FillProps {
  channels: readonly Channel[];
  rows: readonly AllocationRow[];
  onChange: CellActions['change'];
  onClose: () => void;
}

export function FillDialog({ channels, rows, onChange, onClose }: FillProps) {
  const w = useWords(words);
  const c = useWords(common);
  const faultOf = useNumberFault();
  const first = channels[0] === undefined ? null : String(channels[0].id);
  const form = useForm<{ channel: string | null; field: Field; text: string }>(
    { channel: first, field: 'allocated_qty', text: '' },
    {
      guard: false,
      check: ({ text, channel }) => ({
        ...(wholeNumber(text) === null ? { text: faultOf(text) ?? c.required } : {}),
        ...(channel === null ? { channel: c.required } : {}),
      }),
    },
  );
  const { channel, field } = form.values;
  const cells = rows.flatMap((row) =>
    row.cells
      .filter(({ channel_id }) => String(channel_id) === channel)
      .map((cell) => ({ cell, code: row.variant_code })),
  );
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={w.fillTitle}
      onSubmit={form.submit(({ text }) => {
        const plain = String(wholeNumber(text));
        for (const { cell, code } of cells) onChange(cell, code, field, plain);
        onClose();
      })}
      submit={w.fill}
      isSending={false}
    >
      <Select
        label={c.channel}
        data={channels.map(({ id, name }) => ({ value: String(id), label: name }))}
        allowDeselect={false}
        {...form.choice('channel')}
      />
      <SegmentedControl
        aria-label={w.fillWhat}
        value={field}
        onChange={(next) => form.set({ field: next === 'reserve_quota' ? 'reserve_quota' : 'allocated_qty' })}
        data={[
          { value: 'allocated_qty', label: w.allocated },
          { value: 'reserve_quota', label: w.quota },
        ]}
      />
      <NumberField label={w.fillNumber} data-autofocus {...form.text('text')} />
      <Text size="sm" role="status">
        {w.fillCount(cells.length)}
      </Text>
    </FormDialog>
  );
}
