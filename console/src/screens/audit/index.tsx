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
import { Choice } from '../../components/choice.tsx';
import { What } from './what.tsx';
import { areaWords, words } from './words.ts';

const NO_FILTER = { subject: '', actor: '', action: '', from: '', to: '' };

export default function Audit() {
  const w = useWords(words);
  const c = useWords(common);
  const [url, setUrl] = useUrlState(NO_FILTER);
  const areas = useWords(areaWords);
  const list = useList('/audit', {
    ...url,
    actor: withKind(url.actor, 'user'),
    subject: withKind(url.subject, 'variant'),
  });
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
        <Choice
          label={w.area}
          placeholder={w.anyArea}
          data={areasOf(areas, url.action)}
          value={url.action}
          onChange={(action) => setUrl({ action })}
        />
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

/** The API finds exact subjects such as variant:P1-V1; people type the code alone. */
const withKind = (text: string, kind: string): string =>
  text === '' || text.includes(':') ? text : `${kind}:${text}`;

/** A link may name a single action, such as stock.set. */
function areasOf(names: Record<string, string>, action: string): { value: string; label: string }[] {
  const known = Object.entries(names).map(([value, label]) => ({ value, label }));
  const all = action === '' || action in names ? known : [...known, { value: action, label: action }];
  return all.toSorted((a, b) => a.label.localeCompare(b.label));
}
