// Items without a stock record, which channels cannot sell: a list for creating the records in bulk.
import { Button, Group, Text } from '@mantine/core';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { useList, useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { VariantRow } from '../../api/types.ts';
import {
  DataTable,
  EmptyState,
  ItemLink,
  NoMatch,
  NumberField,
  Problem,
  SearchInput,
  useUnsavedWarning,
  useUrlState,
  wholeNumber,
  type Column,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { listOf } from './pasted.ts';
import { STALE_PATHS, terms } from '../../components/stock-terms.ts';
import { useScan } from '../../components/use-scan.ts';
import { missingWords, words } from './words.ts';

const CODES_SHOWN_MAX = 5;

/** Another user has entered stock of these items. */
class EnteredError extends ApiError {
  readonly codes: readonly string[];

  constructor(codes: readonly string[], text: (shown: string, others: number) => string) {
    const shown = codes.slice(0, CODES_SHOWN_MAX);
    super(409, text(shown.join(', '), codes.length - shown.length));
    this.codes = codes;
  }
}

export function Missing() {
  const w = useWords(missingWords);
  const s = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const canEdit = useCan('operator');
  const [url, setUrl] = useUrlState({ search: '' });
  const list = useList('/variants', { search: url.search, without_stock: 'true' });
  const [typed, setTyped] = useState<ReadonlyMap<string, string>>(new Map());
  const given = [...typed].filter(([, text]) => text.trim() !== '');
  const isWrong = given.some(([, text]) => wholeNumber(text) === null);
  useUnsavedWarning(given.length > 0);
  const save = useSend(
    async (sent: [code: string, text: string][]) => {
      const rows = sent.map(([code, text]): [string, number] => [code, wholeNumber(text) ?? 0]);
      const counts = { csv: listOf(rows), mode: 'set', reason: w.reason, as_written: true } as const;
      // The import also sets existing stock: looks right before the write whether another user has entered some.
      const trial = await post('/stock/import', { ...counts, dry_run: true });
      const entered = (trial.rows ?? []).filter(({ before }) => before !== null);
      if (entered.length > 0)
        throw new EnteredError(
          entered.map(({ variant_code }) => variant_code),
          w.entered,
        );
      return post('/stock/import', counts);
    },
    {
      refresh: [...STALE_PATHS, '/variants'],
      failure: 'inline',
      done: ({ count }) => w.saved(format.integer(count)),
      // Input typed during the save is kept.
      onDone: (_, sent) =>
        setTyped((now) => {
          const saved = new Map(sent);
          return new Map([...now].filter(([code, text]) => saved.get(code) !== text));
        }),
    },
  );
  const forget = (error: unknown) => {
    if (!(error instanceof EnteredError)) return;
    setTyped((now) => new Map([...now].filter(([code]) => !error.codes.includes(code))));
  };
  const set = (code: string, text: string) => setTyped((now) => new Map(now).set(code, text));
  const fill = () =>
    setTyped(
      (now) => new Map([...list.rows.map(({ code }): [string, string] => [code, '0']), ...filled(now)]),
    );
  const scan = useScan();
  const columns = useColumns(canEdit, typed, set);
  return (
    <>
      <Text size="sm" mb="sm">
        {w.text}
      </Text>
      <div className="filters">
        <SearchInput
          isLabelled
          label={c.search}
          placeholder={s.searchHint}
          w={340}
          maw="100%"
          onEnter={scan}
        />
        {canEdit && list.rows.length > 0 && (
          <Button variant="default" className="stock-fill" onClick={fill}>
            {w.fill}
          </Button>
        )}
      </div>
      <DataTable
        virtual
        label={w.label}
        columns={columns}
        rowKey={(row) => row.code}
        list={list}
        empty={
          url.search !== '' ? (
            <NoMatch onReset={() => setUrl({ search: '' })} />
          ) : (
            <EmptyState icon={CircleCheck} title={w.none} text={w.noneText} />
          )
        }
      />
      {(given.length > 0 || save.error !== null) && (
        <section className="stock-bar" aria-label={w.label}>
          <Problem error={save.error} />
          <Group justify="space-between">
            <Text size="sm" role="status">
              {w.pending(format.integer(given.length))}
            </Text>
            <Button
              disabled={isWrong || given.length === 0}
              loading={save.isPending}
              onClick={() => save.mutate(given, { onError: forget })}
            >
              {given.length === 1 ? w.saveOne : w.save(format.integer(given.length))}
            </Button>
          </Group>
        </section>
      )}
    </>
  );
}

const filled = (typed: ReadonlyMap<string, string>) => [...typed].filter(([, text]) => text.trim() !== '');

function useColumns(
  canEdit: boolean,
  typed: ReadonlyMap<string, string>,
  set: (code: string, text: string) => void,
): Column<VariantRow>[] {
  const w = useWords(missingWords);
  const t = useWords(terms);
  const c = useWords(common);
  return [
    {
      key: 'code',
      header: c.variant,
      primary: true,
      cell: (row) => <ItemLink code={row.code} />,
    },
    {
      key: 'name',
      header: c.product,
      cell: (row) => <span className="stock-name">{row.product_name}</span>,
    },
    {
      key: 'facts',
      header: t.facts,
      cell: (row) => [row.power, ...Object.values(row.attributes)].filter(Boolean).join(' · '),
    },
    ...(canEdit
      ? [
          {
            key: 'quantity',
            header: w.quantity,
            align: 'right' as const,
            cell: (row: VariantRow) => (
              <NumberField
                size="xs"
                w={150}
                className="stock-first"
                aria-label={w.quantityOf(row.code)}
                value={typed.get(row.code) ?? ''}
                onChange={({ currentTarget }) => set(row.code, currentTarget.value)}
              />
            ),
          },
        ]
      : []),
  ];
}
