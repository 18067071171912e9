import { Badge } from '@mantine/core';
import { ArrowRight, TriangleAlert } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import type { ProductInfo } from '../../api/types.ts';
import { Count, DataTable, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { anchorOf, isSideBySide, type OptionRow } from './rows.ts';
import { words } from './words.ts';

/** With more rows than this, only visible rows are rendered. */
const PLAIN_ROWS_MAX = 500;

interface OptionsProps {
  info: ProductInfo;
  rows: OptionRow[];
  picked: ReadonlySet<string>;
  onPick: (codes: Set<string>) => void;
}

/** The options by power, each with its resulting SKU or its faults; options without a fault can be picked. */
export function Options({ info, rows, picked, onPick }: OptionsProps) {
  const w = useWords(words);
  const columns = useColumns(info);
  const byKey = useMemo(() => new Map(rows.map((row) => [row.key, row])), [rows]);
  const canPick = info.errors.length === 0;
  const selected = new Set(
    rows.filter(({ sku }) => sku !== null && picked.has(sku.option_code)).map(({ key }) => key),
  );
  const select = (keys: Set<string | number>) =>
    onPick(new Set([...keys].flatMap((key) => byKey.get(String(key))?.sku?.option_code ?? [])));
  return (
    <div className="register-options">
      <DataTable
        label={w.options}
        columns={columns}
        rows={rows}
        rowKey={({ key }) => key}
        rowName={({ power, sku }) => power || (sku?.option_code ?? '')}
        virtual={rows.length > PLAIN_ROWS_MAX}
        {...(canPick ? { selected, onSelect: select, canSelect: ({ sku }: OptionRow) => sku !== null } : {})}
      />
    </div>
  );
}

function useColumns(info: ProductInfo): Column<OptionRow>[] {
  const w = useWords(words);
  const c = useWords(common);
  const isSet = isSideBySide(info);
  const groupOf = (side: 'left' | 'right') =>
    info.options.find((option) => option.side === side)?.group ?? '';
  const headerOf = (side: 'left' | 'right') => {
    const name = side === 'left' ? w.left : w.right;
    const group = groupOf(side);
    return group === '' || group.toLowerCase() === side ? name : w.side(name, group);
  };
  const power: Column<OptionRow> = {
    key: 'power',
    header: c.power,
    primary: true,
    cell: (row) => (
      <span
        id={anchorOf(row)}
        tabIndex={-1}
        className="register-power num"
        data-bad={row.violations.length > 0}
        data-hidden={row.isHidden}
      >
        {row.power === '' ? <span className="register-quiet">{w.noPower}</span> : row.power}
        {row.isHidden && (
          <Badge color="gray" ml={8}>
            {w.hidden}
          </Badge>
        )}
      </span>
    ),
  };
  const side = (which: 'left' | 'right'): Column<OptionRow> => ({
    key: which,
    header: headerOf(which),
    cell: (row) => <Side info={info} row={row} at={row[which]} />,
  });
  const result: Column<OptionRow> = {
    key: 'sku',
    header: isSet ? w.merged : c.sku,
    cell: (row) => <Result row={row} isSet={isSet} code={codeOf(info, row)} />,
  };
  const item: Column<OptionRow> = {
    key: 'item',
    header: c.variant,
    cell: ({ sku, violations, isHidden }) =>
      sku !== null &&
      violations.length === 0 && (
        <span className="register-item mono" data-hidden={isHidden}>
          <ArrowRight size={14} aria-hidden /> {sku.variant_code}
        </span>
      ),
  };
  if (isSet) return [power, side('left'), ...(info.groups.length > 1 ? [side('right')] : []), result, item];
  return [
    power,
    ...(info.groups.some((group) => group !== '')
      ? [
          {
            key: 'group',
            header: w.group,
            cell: ({ left }: OptionRow) => info.options[left[0] ?? 0]?.group ?? null,
          },
        ]
      : []),
    {
      key: 'stock',
      header: w.stock,
      align: 'right',
      cell: ({ left }) => <Count n={info.options[left[0] ?? 0]?.stock ?? 0} />,
    },
    result,
    item,
  ];
}

const codeOf = (info: ProductInfo, { left, right }: OptionRow): string =>
  info.options[left[0] ?? right[0] ?? 0]?.option_code ?? '';

/** One side of a power: its option code, several codes, or none. */
function Side({ info, row, at }: { info: ProductInfo; row: OptionRow; at: number[] }) {
  const w = useWords(words);
  const format = useFormat();
  if (at.length === 0) return <Fault>{w.missing}</Fault>;
  return (
    <span className="register-side">
      {at.map((index) => {
        const option = info.options[index];
        if (!option) return null;
        const code = <span className="mono">{option.option_code || w.noCode}</span>;
        return (
          <span key={index} data-hidden={option.hidden}>
            {row.violations.some(({ rows }) => rows.includes(index)) ? <Fault>{code}</Fault> : code}{' '}
            <span className="register-quiet num">{w.stockOf(format.integer(option.stock))}</span>
            {option.hidden && !row.isHidden && (
              <Badge color="gray" ml={6}>
                {w.hidden}
              </Badge>
            )}
          </span>
        );
      })}
    </span>
  );
}

const Fault = ({ children }: { children: ReactNode }) => {
  const w = useWords(words);
  return (
    <span className="register-fault">
      <TriangleAlert size={14} aria-label={w.faulty} role="img" /> {children}
    </span>
  );
};

/** The resulting SKU, or the reasons why there is none. */
function Result({ row, isSet, code }: { row: OptionRow; isSet: boolean; code: string }) {
  const w = useWords(words);
  if (row.violations.length === 0) {
    return (
      <span className="mono register-sku" data-hidden={row.isHidden}>
        {row.sku?.option_code ?? code}
      </span>
    );
  }
  return (
    <span className="register-reasons">
      {isSet ? (
        <Fault>{w.cannotMerge}</Fault>
      ) : (
        <Fault>{<span className="mono">{code || w.noCode}</span>}</Fault>
      )}
      {row.violations.map((violation) => (
        <span key={violation.message}>{w.violation(violation)}</span>
      ))}
    </span>
  );
}
