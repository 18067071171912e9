import { Button, TextInput } from '@mantine/core';
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
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { Change } from './change.tsx';
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
      key: 'action',
      header: w.action,
      primary: true,
      cell: ({ action }) => <span className="mono">{action}</span>,
    },
    { key: 'subject', header: w.subject, cell: ({ subject }) => <span className="mono">{subject}</span> },
    { key: 'change', header: w.change, width: '40%', cell: (entry) => <Change entry={entry} /> },
    { key: 'actor', header: w.actor, cell: ({ actor }) => actor },
    { key: 'at', header: w.at, cell: ({ at }) => <Time at={at} /> },
  ];
  return (
    <Page title={w.title} description={w.description}>
      <div className="filters">
        <SearchInput isLabelled name="actor" label={w.actor} placeholder={w.actorHint} w={210} />
        <SearchInput isLabelled name="action" label={w.action} placeholder={w.actionHint} w={180} />
        <SearchInput isLabelled name="subject" label={w.subject} placeholder={w.subjectHint} w={220} />
        <TextInput
          type="date"
          label={w.from}
          value={url.from}
          max={url.to}
          onChange={(event) => setUrl({ from: event.currentTarget.value })}
        />
        <TextInput
          type="date"
          label={w.to}
          value={url.to}
          min={url.from}
          onChange={(event) => setUrl({ to: event.currentTarget.value })}
        />
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
        empty={
          isFiltered ? (
            <NoMatch onReset={reset} />
          ) : (
            <EmptyState icon={<History size={28} strokeWidth={1.5} aria-hidden />} title={w.empty} />
          )
        }
      />
    </Page>
  );
}
