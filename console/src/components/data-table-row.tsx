// Table roles are explicit: on narrow pages CSS turns rows into cards, which removes the implicit roles.
/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role */
import { memo, type KeyboardEvent, type MouseEvent } from 'react';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';
import { CheckBox } from './check-box.tsx';
import type { WithRows } from './data-table-columns.ts';

/** Clicks on links, buttons and fields in a row do not open the row. */
const isOwnTarget = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, input, label, select, textarea') !== null;

interface RowProps<Row> extends WithRows<Row> {
  row: Row;
  index?: number;
  measure?: (element: HTMLTableRowElement | null) => void;
}

/** Memoized: while scrolling, only rows that become visible are rendered. */
export const DataRow = memo(OneRow) as typeof OneRow;

function OneRow<Row>({ row, rows, index, measure, columns, rowKey, anchor, ...props }: RowProps<Row>) {
  const w = useWords(common);
  const key = rowKey(row);
  const { onSelect, selected, canSelect } = props;
  const isSelected = selected?.has(key) ?? false;
  const { onOpen } = props;
  const toggle = (isRange: boolean) => {
    const next = new Set(selected);
    const from = isRange ? rows.findIndex((other) => rowKey(other) === anchor) : -1;
    if (from < 0) {
      if (!next.delete(key)) next.add(key);
    } else {
      const to = rows.indexOf(row);
      for (const other of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) {
        if (!(canSelect?.(other) ?? true)) continue;
        if (isSelected) next.delete(rowKey(other));
        else next.add(rowKey(other));
      }
    }
    props.onAnchor(key);
    onSelect?.(next);
  };
  const click = (event: MouseEvent<HTMLTableRowElement>) => {
    if (isOwnTarget(event.target) || window.getSelection()?.toString() !== '') return;
    if (event.shiftKey && onSelect && (canSelect?.(row) ?? true)) toggle(true);
    else onOpen?.(row);
  };
  const press = (event: KeyboardEvent<HTMLTableRowElement>) => {
    const target = event.currentTarget;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      const step = event.key === 'ArrowDown' ? 'nextElementSibling' : 'previousElementSibling';
      const next = target[step];
      if (!(next instanceof HTMLElement) || next.dataset['row'] === undefined) return;
      event.preventDefault();
      next.focus();
      next.scrollIntoView({ block: 'nearest' });
    } else if (event.target !== target) return;
    else if (event.key === 'Enter') onOpen?.(row);
    else if (event.key === ' ' && onSelect && (canSelect?.(row) ?? true)) {
      event.preventDefault();
      toggle(event.shiftKey);
    }
  };
  const isCurrent = props.current === null ? rows[0] === row : props.current === key;
  const opening = {
    tabIndex: isCurrent ? 0 : -1,
    onFocus: () => props.onCurrent(key),
    onClick: click,
    onKeyDown: press,
    'data-opens': true,
  };
  return (
    <tr
      role="row"
      data-row
      data-selected={isSelected}
      data-index={index}
      ref={measure}
      aria-rowindex={index === undefined ? undefined : index + 2}
      {...(onOpen ? opening : {})}
    >
      {onSelect && (
        <td role="cell" className="data-table-select">
          {(canSelect?.(row) ?? true) && (
            <CheckBox
              label={w.selectRow(props.rowName?.(row) ?? String(key))}
              checked={isSelected}
              onChange={toggle}
            />
          )}
        </td>
      )}
      {columns.map(({ key: column, header, cell, align, primary, quiet }) => {
        const content = cell(row);
        if (primary === true) {
          return (
            <th key={column} role="rowheader" scope="row" data-align={align}>
              {content}
            </th>
          );
        }
        const isEmpty = content === null || content === undefined || content === '' || content === false;
        return (
          <td
            key={column}
            role="cell"
            data-align={align}
            data-label={quiet === true ? undefined : header}
            data-empty={isEmpty}
            data-quiet={quiet}
          >
            {content}
          </td>
        );
      })}
    </tr>
  );
}
