import { Badge, Button, Checkbox, NumberInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { PackageOpen } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useList } from '../../api/query.ts';
import { path } from '../../api/request.ts';
import type { StockRow } from '../../api/types.ts';
import {
  DataTable,
  EmptyState,
  Page,
  SearchInput,
  useUrlState,
  type Column,
  NoMatch,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import './stock.css';
import { QUANTITY_MAX, terms } from './terms.ts';
import { words } from './words.ts';

const PAUSE_MS = 300;

export default function Stock() {
  const w = useWords(words);
  const c = useWords(common);
  const [url, setUrl] = useUrlState({ search: '', below: '', overcommitted: '' });
  const below = belowOf(url.below);
  const overcommitted = url.overcommitted === 'true' ? 'true' : '';
  const list = useList('/stock', { search: url.search, below, overcommitted });
  const columns = useColumns();
  // A field that is written with a pause keeps its own text; a reset begins it anew.
  const [resets, setResets] = useState(0);
  const reset = () => {
    setUrl({ search: '', below: '', overcommitted: '' });
    setResets((n) => n + 1);
  };
  const isFiltered = url.search !== '' || below !== '' || overcommitted !== '';
  return (
    <Page title={w.title} description={w.description}>
      <div className="filters">
        <SearchInput isLabelled label={c.search} placeholder={w.searchHint} w={340} maw="100%" />
        <Below key={resets} value={below} onChange={(to) => setUrl({ below: to })} />
        <Checkbox
          className="stock-filter"
          label={w.overcommitted}
          checked={overcommitted !== ''}
          onChange={({ currentTarget }) => setUrl({ overcommitted: currentTarget.checked ? 'true' : '' })}
        />
      </div>
      <DataTable
        virtual
        label={w.title}
        columns={columns}
        rowKey={(row) => row.variant_code}
        list={list}
        empty={
          isFiltered ? (
            <NoMatch onReset={reset} />
          ) : (
            <EmptyState
              icon={<PackageOpen size={28} strokeWidth={1.5} aria-hidden />}
              title={w.empty}
              text={w.emptyText}
              action={
                <Button component={Link} to="/products" variant="default">
                  {w.toProducts}
                </Button>
              }
            />
          )
        }
      />
    </Page>
  );
}

/** An address typed by hand may say anything. */
const belowOf = (text: string): string =>
  /^\d{1,10}$/.test(text) && Number(text) <= QUANTITY_MAX ? text : '';

function Below({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const w = useWords(words);
  const [typed, setTyped] = useState<string | number>(value === '' ? '' : Number(value));
  const write = useDebouncedCallback((next: string | number) => onChange(String(next)), PAUSE_MS);
  return (
    <NumberInput
      label={w.below}
      placeholder={w.belowHint}
      w={140}
      min={0}
      max={QUANTITY_MAX}
      clampBehavior="strict"
      allowDecimal={false}
      allowNegative={false}
      value={typed}
      onChange={(next) => {
        setTyped(next);
        write(next);
      }}
    />
  );
}

function useColumns(): Column<StockRow>[] {
  const w = useWords(words);
  const t = useWords(terms);
  const c = useWords(common);
  const format = useFormat(); // one for the whole table: thousands of cells pass by while one scrolls
  const number = (key: 'quantity' | 'unshipped' | 'allocated' | 'backordered', header: string) => ({
    key,
    header,
    align: 'right' as const,
    cell: (row: StockRow) => format.integer(row[key]),
  });
  return [
    {
      key: 'code',
      header: c.variant,
      primary: true,
      cell: (row) => (
        <Link to={path`/stock/${row.variant_code}`} className="mono">
          {row.variant_code}
        </Link>
      ),
    },
    { key: 'name', header: c.product, cell: (row) => <span className="stock-name">{row.product_name}</span> },
    { key: 'power', header: t.power, align: 'right', cell: (row) => row.power },
    number('quantity', t.physical),
    number('unshipped', t.unshipped),
    number('allocated', t.allocated),
    number('backordered', t.backordered),
    {
      key: 'common',
      header: t.common,
      align: 'right',
      cell: ({ common_available: left, overcommitted_by: over }) => (
        <span className="stock-common">
          {over > 0 ? (
            <Badge color="orange">{t.overcommittedBy(format.integer(over))}</Badge>
          ) : (
            left === 0 && <Badge color="red">{w.soldOut}</Badge>
          )}
          <strong>{format.integer(left)}</strong>
        </span>
      ),
    },
  ];
}
