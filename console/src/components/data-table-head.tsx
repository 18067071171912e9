// Table roles are explicit: on narrow pages CSS turns rows into cards, which removes the implicit roles.
/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role */
import { ArrowDown, ArrowUp } from 'lucide-react';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';
import { CheckBox } from './check-box.tsx';
import type { Shown, WithRows } from './data-table-columns.ts';

export function Head<Row>(props: WithRows<Row> & { model: Shown<Row> }) {
  const { model, rows, rowKey, selected, onSelect, canSelect } = props;
  const w = useWords(common);
  const keys = onSelect ? rows.filter((row) => canSelect?.(row) ?? true).map(rowKey) : [];
  const isAll = keys.length > 0 && keys.every((key) => selected?.has(key));
  const isSome = keys.some((key) => selected?.has(key));
  return (
    <thead role="rowgroup">
      <tr role="row">
        {onSelect && (
          <th role="columnheader" scope="col" className="data-table-select">
            <CheckBox
              label={w.selectAll}
              checked={isAll}
              isSome={isSome && !isAll}
              onChange={() => onSelect(new Set(isAll ? [] : keys))}
            />
          </th>
        )}
        {model.map(({ model: column, column: { key, header, align, width, quiet } }) => (
          <th
            key={key}
            role="columnheader"
            scope="col"
            data-align={align}
            style={{ width }}
            {...(column.getCanSort() ? { 'aria-sort': SORT_NAMES[column.getIsSorted() || 'none'] } : {})}
          >
            {column.getCanSort() && props.onSort ? (
              <button type="button" className="data-table-sort" onClick={() => column.toggleSorting()}>
                {header}
                {column.getIsSorted() === 'asc' && <ArrowUp size={13} aria-hidden />}
                {column.getIsSorted() === 'desc' && <ArrowDown size={13} aria-hidden />}
              </button>
            ) : quiet === true ? (
              <span className="only-read">{header}</span>
            ) : (
              header
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const SORT_NAMES = { asc: 'ascending', desc: 'descending', none: 'none' } as const;
