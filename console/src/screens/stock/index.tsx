// The stock list with all terms of the formula; items without a stock record; archived items; bulk deliveries and counts.
import { Badge, Button, Checkbox, Menu, SegmentedControl } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { ChevronDown, PackageOpen, Truck } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useList } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { StockRow } from '../../api/types.ts';
import {
  DataTable,
  DownloadButton,
  EmptyState,
  ItemLink,
  LinkButton,
  NoMatch,
  NumberField,
  Page,
  SearchInput,
  useNarrow,
  useUrlState,
  wholeNumber,
  type Column,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { Missing } from './missing.tsx';
import './stock.css';
import { terms } from '../../components/stock-terms.ts';
import { useScan } from '../../components/use-scan.ts';
import { words } from './words.ts';

const BulkDialog = lazy(() => import('./bulk-dialog.tsx'));

const PAUSE_MS = 300;
const NO_FILTER = { search: '', below: '', low: '', overcommitted: '' };
const BULK_MODES = ['add', 'set'] as const;

export default function Stock() {
  const w = useWords(words);
  const c = useWords(common);
  const canEdit = useCan('operator');
  const [url, setUrl] = useUrlState({ show: '', bulk: '' });
  const isNarrow = useNarrow();
  const missing = useMissingCount();
  const bulk = BULK_MODES.find((mode) => mode === url.bulk);
  return (
    <Page
      title={w.title}
      description={w.description}
      actions={
        <>
          <DownloadButton from="/stock/export" label={c.exportCsv} />
          {canEdit && (
            <Menu position="bottom-end">
              <Menu.Target>
                <Button
                  leftSection={<Truck size={16} aria-hidden />}
                  rightSection={<ChevronDown size={16} aria-hidden />}
                >
                  {w.bulk}
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <Menu.Item onClick={() => setUrl({ bulk: 'add' })}>{w.delivery}</Menu.Item>
                <Menu.Item onClick={() => setUrl({ bulk: 'set' })}>{w.count}</Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )}
        </>
      }
    >
      <SegmentedControl
        mb="sm"
        {...(isNarrow ? { orientation: 'vertical', fullWidth: true } : {})}
        aria-label={w.show}
        value={['missing', 'archived'].includes(url.show) ? url.show : ''}
        onChange={(show) => setUrl({ show })}
        data={[
          { value: '', label: w.showStock },
          { value: 'missing', label: missing === null ? w.showMissing : `${w.showMissing} (${missing})` },
          { value: 'archived', label: c.archived },
        ]}
      />
      {url.show === 'missing' ? (
        <Missing />
      ) : (
        <StockList isArchive={url.show === 'archived'} missing={missing} />
      )}
      {canEdit && bulk !== undefined && (
        <Suspense>
          <BulkDialog mode={bulk} onClose={() => setUrl({ bulk: '' })} />
        </Suspense>
      )}
    </Page>
  );
}

const COUNT_MAX = 99;

/** The number of items without a stock record, as on a tab; null: none. */
function useMissingCount(): string | null {
  const format = useFormat();
  const { rows } = useList('/variants', { without_stock: 'true' }, { limit: COUNT_MAX + 1 });
  if (rows.length === 0) return null;
  return rows.length > COUNT_MAX ? `${format.integer(COUNT_MAX)}+` : format.integer(rows.length);
}

function StockList({ isArchive, missing }: { isArchive: boolean; missing: string | null }) {
  const w = useWords(words);
  const c = useWords(common);
  const [url, setUrl] = useUrlState(NO_FILTER);
  const below = belowOf(url.below);
  const low = url.low === 'true' ? 'true' : '';
  const overcommitted = url.overcommitted === 'true' ? 'true' : '';
  const query = { search: url.search, below, low, overcommitted, archived: isArchive ? 'true' : '' };
  const list = useList('/stock', query);
  const columns = useColumns();
  const scan = useScan();
  // A debounced field keeps its own text: a new key resets it.
  const [resets, setResets] = useState(0);
  const reset = () => {
    setUrl(NO_FILTER);
    setResets((n) => n + 1);
  };
  const isFiltered = [url.search, below, low, overcommitted].some((value) => value !== '');
  return (
    <>
      <div className="filters">
        <SearchInput
          isLabelled
          label={c.search}
          placeholder={w.searchHint}
          w={340}
          maw="100%"
          onEnter={scan}
        />
        <Below key={resets} value={below} onChange={(to) => setUrl({ below: to })} />
        <Checkbox
          className="stock-filter"
          label={w.lowOnly}
          checked={low !== ''}
          onChange={({ currentTarget }) => setUrl({ low: currentTarget.checked ? 'true' : '' })}
        />
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
          ) : isArchive ? (
            <EmptyState title={w.noArchived} text={w.noArchivedText} />
          ) : (
            <EmptyState
              icon={PackageOpen}
              title={w.empty}
              {...(missing === null
                ? { text: w.emptyText, action: <LinkButton to="/products" label={w.toProducts} /> }
                : {
                    text: w.emptyMissingText(missing),
                    action: <LinkButton to="/stock?show=missing" label={w.toMissing} />,
                  })}
            />
          )
        }
      />
    </>
  );
}

/** A URL typed by hand may contain any text. */
const belowOf = (text: string): string => String(wholeNumber(text) ?? '');

function Below({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const w = useWords(words);
  const [typed, setTyped] = useState(value);
  const write = useDebouncedCallback((next: string) => onChange(belowOf(next)), PAUSE_MS);
  return (
    <NumberField
      label={w.below}
      placeholder={w.belowHint}
      w={180}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        write(currentTarget.value);
      }}
    />
  );
}

function useColumns(): Column<StockRow>[] {
  const w = useWords(words);
  const t = useWords(terms);
  const c = useWords(common);
  const format = useFormat(); // one for the whole table: scrolling renders thousands of cells
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
      cell: (row) => <ItemLink code={row.variant_code} />,
    },
    {
      key: 'name',
      header: c.product,
      cell: (row) => (
        <>
          <span className="stock-name">{row.product_name}</span>
          {row.archived && (
            <Badge color="gray" ml="xs">
              {c.archived}
            </Badge>
          )}
        </>
      ),
    },
    {
      key: 'facts',
      header: t.facts,
      cell: (row) => [row.power, ...Object.values(row.attributes)].filter(Boolean).join(' · '),
    },
    number('quantity', t.physical),
    number('unshipped', t.unshipped),
    number('allocated', t.allocated),
    number('backordered', t.backordered),
    {
      key: 'common',
      header: t.common,
      align: 'right',
      cell: ({ common_available: left, overcommitted_by: over, low_stock_at: low }) => (
        <span className="stock-common">
          {over > 0 ? (
            <Badge color="orange">{t.overcommittedBy(format.integer(over))}</Badge>
          ) : left === 0 ? (
            <Badge color="red">{w.soldOut}</Badge>
          ) : (
            low !== null && left <= low && <Badge color="orange">{w.low}</Badge>
          )}
          <strong>{format.integer(left)}</strong>
        </span>
      ),
    },
  ];
}
