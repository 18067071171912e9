import { Input } from '@mantine/core';
import { memo, type KeyboardEvent } from 'react';
import type { AllocationCell } from '../../api/types.ts';
import { wholeNumber } from '../../components/whole-number.ts';
import type { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { readBlock } from './block.ts';
import type { Edit, Field } from './edits.ts';
import { words } from './words.ts';

const CHARACTERS_MAX = 10;

export interface CellActions {
  change: (cell: AllocationCell, variantCode: string, field: Field, text: string) => void;
  paste: (channelId: number, variantCode: string, field: Field, block: string[][]) => void;
  save: (channelId: number, variantCode: string) => void;
  revert: (channelId: number, variantCode: string) => void;
}

interface CellProps {
  item: string;
  channel: string;
  cell: AllocationCell;
  edit: Edit | undefined;
  /** What may be sold after all edits are saved. */
  available: number;
  canEdit: boolean;
  actions: CellActions;
  /** Shared by the whole matrix. */
  format: ReturnType<typeof useFormat>;
}

/** One channel's share of one item: two editable numbers, and what the channel may sell now and after saving. */
export const Cell = memo(function Cell({
  item,
  channel,
  cell,
  edit,
  available,
  canEdit,
  actions,
  format,
}: CellProps) {
  const w = useWords(words);
  const isNoLimit = wholeNumber(edit?.reserve_quota ?? String(cell.reserve_quota)) === 0;
  const field = (name: Field, label: string) => (
    <Entry
      name={name}
      label={label}
      text={edit?.[name] ?? String(cell[name])}
      isChanged={edit !== undefined && edit[name].trim() !== String(cell[name])}
      cell={cell}
      item={item}
      actions={actions}
    />
  );
  return (
    <div className="allocations-cell" data-changed={edit !== undefined}>
      <span className="allocations-label">{w.allocated}</span>
      {canEdit ? (
        field('allocated_qty', w.allocatedOf(item, channel))
      ) : (
        <span className="num">{format.integer(cell.allocated_qty)}</span>
      )}
      <span className="allocations-label">{isNoLimit ? w.quotaNoLimit : w.quota}</span>
      {canEdit ? (
        field('reserve_quota', w.quotaOf(item, channel))
      ) : (
        <span className="num">
          {cell.reserve_quota === 0 ? w.noLimit : format.integer(cell.reserve_quota)}
        </span>
      )}
      <span className="allocations-label">{w.available}</span>
      <span className="num allocations-available">
        {available === cell.available ? (
          <b>{format.integer(available)}</b>
        ) : (
          <>
            {format.integer(cell.available)} <span aria-hidden>→</span>{' '}
            <span className="only-read">{w.becomes}</span>
            <b data-down={available < cell.available}>{format.integer(available)}</b>
          </>
        )}
      </span>
      {cell.backordered_qty > 0 && (
        <span className="allocations-note">{w.open(format.integer(cell.backordered_qty))}</span>
      )}
      {!cell.is_mapped && <span className="allocations-note">{w.notMapped}</span>}
      {edit?.problem != null && (
        <span className="allocations-problem" role="alert">
          {edit.problem}
        </span>
      )}
    </div>
  );
});

interface EntryProps {
  name: Field;
  label: string;
  text: string;
  isChanged: boolean;
  cell: AllocationCell;
  item: string;
  actions: CellActions;
}

function Entry({ name, label, text, isChanged, cell, item, actions }: EntryProps) {
  const w = useWords(words);
  const isWrong = wholeNumber(text) === null;
  const keys = (event: KeyboardEvent<HTMLInputElement>) => {
    // While a Korean syllable is being composed, Enter only completes it.
    if (event.nativeEvent.isComposing) return;
    if (event.key === 'Enter') actions.save(cell.channel_id, item);
    if (event.key === 'Escape') actions.revert(cell.channel_id, item);
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      step(event.currentTarget, event.key === 'ArrowDown' ? 1 : -1);
    }
  };
  return (
    <Input
      size="xs"
      inputMode="numeric"
      autoComplete="off"
      maxLength={CHARACTERS_MAX}
      className="allocations-input"
      data-place={`${name} ${cell.channel_id}`}
      data-changed={isChanged}
      aria-label={label}
      title={isWrong ? w.wrong : undefined}
      error={isWrong}
      aria-invalid={isWrong}
      value={text}
      onFocus={(event) => event.currentTarget.select()}
      onChange={(event) => actions.change(cell, item, name, event.currentTarget.value)}
      onPaste={(event) => {
        const block = readBlock(event.clipboardData.getData('text/plain'));
        if (block === null) return;
        event.preventDefault();
        actions.paste(cell.channel_id, item, name, block);
      }}
      onKeyDown={keys}
    />
  );
}

/** Moves the focus to the same field of the next or previous item that has it. */
function step(from: HTMLInputElement, by: 1 | -1): void {
  const place = from.dataset['place'] ?? '';
  const all = [...document.querySelectorAll<HTMLInputElement>(`input[data-place="${CSS.escape(place)}"]`)];
  all[all.indexOf(from) + by]?.focus();
}
