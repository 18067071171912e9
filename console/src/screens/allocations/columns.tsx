import { Badge, Button } from '@mantine/core';
import { ArrowLeftRight, TriangleAlert } from 'lucide-react';
import type { AllocationRow, Channel } from '../../api/types.ts';
import { ItemLink, useNarrow, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { terms } from '../../components/stock-terms.ts';
import { Cell } from './cell.tsx';
import { editKey } from './edits.ts';
import type { Preview } from './preview.ts';
import type { useMatrix } from './use-matrix.ts';
import { words } from './words.ts';

export function useColumns(
  channels: Channel[],
  { edits, actions }: Pick<ReturnType<typeof useMatrix>, 'edits' | 'actions'>,
  previewOf: (row: AllocationRow) => Preview,
  /** null: the user is a viewer. */
  onMove: ((variantCode: string) => void) | null,
): Column<AllocationRow>[] {
  const c = useWords(common);
  const w = useWords(words);
  const format = useFormat();
  const isNarrow = useNarrow();
  return [
    {
      key: 'item',
      header: c.variant,
      primary: true,
      cell: (row) => <Item row={row} over={previewOf(row).overcommittedBy} />,
    },
    {
      key: 'common',
      header: w.common,
      cell: (row) => <Common row={row} after={previewOf(row)} format={format} onMove={onMove} />,
    },
    ...channels.map(({ id, name }): Column<AllocationRow> => ({
      key: String(id),
      header: name,
      cell: (row) => {
        const cell = row.cells.find(({ channel_id }) => channel_id === id);
        if (cell === undefined) return isNarrow ? null : <span className="allocations-note">–</span>;
        return (
          <Cell
            item={row.variant_code}
            channel={name}
            cell={cell}
            edit={edits.get(editKey(id, row.variant_code))}
            available={previewOf(row).channels.get(id)?.available ?? cell.available}
            canEdit={onMove !== null}
            actions={actions}
            format={format}
          />
        );
      },
    })),
  ];
}

/** Marks an overcommitted item here, because this column stays visible and the common stock may scroll away. */
function Item({ row, over }: { row: AllocationRow; over: number }) {
  const t = useWords(terms);
  const format = useFormat();
  return (
    <div className="allocations-item">
      <ItemLink code={row.variant_code} />
      <span>
        {row.product_name}
        {row.power !== null && (
          <>
            {' · '}
            <span className="allocations-power">{row.power}</span>
          </>
        )}
      </span>
      {over > 0 && <Badge color="orange">{t.overcommittedBy(format.integer(over))}</Badge>}
    </div>
  );
}

interface CommonProps {
  row: AllocationRow;
  after: Preview;
  format: ReturnType<typeof useFormat>;
  onMove: ((variantCode: string) => void) | null;
}

/** The common stock with its terms, now and after saving, and a warning if the item is overcommitted. */
function Common({ row, after, format, onMove }: CommonProps) {
  const w = useWords(words);
  const isChanged = after.common !== row.common_available;
  return (
    <div className="allocations-common">
      <span className="num">
        {isChanged && (
          <>
            {format.integer(row.common_available)} <span aria-hidden>→</span>{' '}
            <span className="only-read">{w.becomes}</span>
          </>
        )}
        <b data-down={after.common < row.common_available}>{format.integer(after.common)}</b>
      </span>
      <span className="allocations-note num" title={w.sumHint}>
        {w.sum(
          format.integer(row.quantity),
          format.integer(row.unshipped),
          format.integer(after.allocated),
          format.integer(row.backordered),
        )}
      </span>
      {onMove !== null && row.allocated > 0 && (
        <Button
          size="compact-xs"
          variant="default"
          className="allocations-move"
          leftSection={<ArrowLeftRight size={13} aria-hidden />}
          aria-label={w.moveOf(row.variant_code)}
          onClick={() => onMove(row.variant_code)}
        >
          {w.move}
        </Button>
      )}
      {after.overcommittedBy > 0 ? (
        <span className="allocations-warning" data-strong>
          <TriangleAlert size={13} aria-hidden />{' '}
          {w.overcommitted(
            format.integer(after.allocated),
            format.integer(row.unshipped),
            format.integer(row.quantity),
            format.integer(after.overcommittedBy),
          )}
        </span>
      ) : (
        after.beyondPromised > 0 && (
          <span className="allocations-warning">
            <TriangleAlert size={13} aria-hidden /> {w.beyondPromised(format.integer(after.beyondPromised))}
          </span>
        )
      )}
    </div>
  );
}
