import { Button, Menu } from '@mantine/core';
import { ChevronDown } from 'lucide-react';
import { useNarrow } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { CANCEL, SHIP, type Move } from './moves.ts';
import { moveWords } from './words.ts';

interface MoveButtonsProps {
  moves: readonly Move[];
  onMove: (move: Move) => void;
  /** For several orders at once. */
  isMany?: boolean;
  size?: string;
}

/** A button for each status change; on a phone a single menu. */
export function MoveButtons({ moves, onMove, isMany = false, size = 'sm' }: MoveButtonsProps) {
  const w = useWords(moveWords);
  const c = useWords(common);
  const isNarrow = useNarrow();
  const nameOf = (move: Move) => (move === CANCEL && isMany ? w.do88Many : w[`do${move}`]);
  if (moves.length === 0) return null;
  if (!isNarrow) {
    return moves.map((move) => (
      <Button key={move} size={size} {...lookOf(move)} onClick={() => onMove(move)}>
        {nameOf(move)}
      </Button>
    ));
  }
  return (
    <Menu position="bottom-end" width={200}>
      <Menu.Target>
        <Button size={size} rightSection={<ChevronDown size={14} aria-hidden />}>
          {c.actions}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {moves.map((move) => (
          <Menu.Item
            key={move}
            {...(move === CANCEL ? { c: 'var(--bad)' } : {})}
            onClick={() => onMove(move)}
          >
            {nameOf(move)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Shipping is the primary action; cancelling is destructive. */
const lookOf = (move: Move) =>
  move === SHIP ? {} : move === CANCEL ? { variant: 'light', color: 'red' } : { variant: 'default' };
