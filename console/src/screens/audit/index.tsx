import { Button } from '@mantine/core';
import { History } from 'lucide-react';
import { useList } from '../../api/query.ts';
import type { AuditEntry } from '../../api/types.ts';
import {
  DataTable,
  EmptyState,
  NoMatch,
  Page,
  SearchInput,
  Time,
  useUrlState,
  type Column,
} from '../../components/index.ts';
import { DateRange } from '../../components/date-range.tsx';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { Details } from './change.tsx';
import { What } from './what.tsx';
import { words } from './words.ts';

const NO_FILTER = { subject: '', actor: '', action: '', from: '', to: '' };

export default function Audit() {
  const w = useWords(words);
  const c = useWords(common);
  const [url, setUrl] = useUrlState(NO_FILTER);
  const list = useList('/audit', url);
  const isFiltered = Object.values(url).some((value) => value !== '');
  const reset = () => setUrl(NO_FILTER);

  const columns: Column<AuditEntry>[] = [
    {
      key: 'what',
      header: w.what,
      primary: true,
      cell: (entry) => (
        <div className="audit-what">
          <What entry={entry} />
          <Details entry={entry} />
        </div>
      ),
    },
    { key: 'at', header: w.at, width: 190, cell: ({ at }) => <Time at={at} /> },
  ];
  return (
    <Page title={w.title} description={w.description}>
      <div className="filters">
        <SearchInput isLabelled name="actor" label={w.actor} placeholder={w.actorHint} w={210} />
        <SearchInput isLabelled name="action" label={w.action} placeholder={w.actionHint} w={180} />
        <SearchInput isLabelled name="subject" label={w.subject} placeholder={w.subjectHint} w={220} />
        <DateRange label={w.days} placeholder={w.anyDay} from={url.from} to={url.to} onChange={setUrl} />
        {isFiltered && (
          <Button variant="default" onClick={reset}>
            {c.resetFilters}
          </Button>
        )}
      </div>
      <DataTable
        virtual
        label={w.title}
        columns={columns}
        rowKey={({ id }) => id}
        list={list}
        empty={isFiltered ? <NoMatch onReset={reset} /> : <EmptyState icon={History} title={w.empty} />}
      />
    </Page>
  );
}
