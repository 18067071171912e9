import { Button } from '@mantine/core';
import { STATUS_CHANGES_MAX } from '../../../../src/core/rules/order-limits.ts';
import type { OrderRow } from '../../api/types.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { MoveButtons } from './move-buttons.tsx';
import { isFinal, isMixed, movesOf, type Move } from './moves.ts';
import { PrintLinks } from './print-links.tsx';
import { words } from './words.ts';

interface BarProps {
  orders: readonly OrderRow[];
  onMove: (move: Move) => void;
  /** Offered if more orders are selected than can be sent in one request. */
  onKeepFirst: () => void;
  /** Offered if another user has shipped or cancelled some of the orders, which then cannot be changed. */
  onDropFinal: () => void;
  onClear: () => void;
}

/** Fixed at the bottom of the window, so that the list does not move at the first selection. */
export function SelectionBar(props: BarProps) {
  const statuses = props.orders.map(({ status }) => status);
  const w = useWords(words);
  const c = useWords(common);
  const count = statuses.length;
  const finished = statuses.filter(isFinal).length;
  const isTooMany = count > STATUS_CHANGES_MAX;
  return (
    <section className="orders-bar" aria-label={w.bar} data-active={count > 0}>
      <div className="orders-bar-words" role="status">
        <b>{c.selected(count)}</b>
        <span className="orders-bar-hint">
          {isTooMany
            ? w.tooMany(STATUS_CHANGES_MAX)
            : finished > 0
              ? w.finished(finished)
              : isMixed(statuses) && w.commonMoves}
        </span>
      </div>
      {count > 0 && (
        <div className="orders-bar-buttons">
          <Button size="xs" variant="subtle" onClick={props.onClear}>
            {w.clearSelection}
          </Button>
          {!isTooMany && <PrintLinks size="xs" ids={props.orders.map(({ id }) => id)} />}
          {isTooMany ? (
            <Button size="xs" variant="default" onClick={props.onKeepFirst}>
              {w.keepFirst(STATUS_CHANGES_MAX)}
            </Button>
          ) : finished > 0 ? (
            finished < count && (
              <Button size="xs" variant="default" onClick={props.onDropFinal}>
                {w.dropFinal(finished)}
              </Button>
            )
          ) : (
            <MoveButtons size="xs" isMany moves={movesOf(statuses)} onMove={props.onMove} />
          )}
        </div>
      )}
    </section>
  );
}
