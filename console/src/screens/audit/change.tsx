import { Anchor } from '@mantine/core';
import { useState } from 'react';
import type { AuditEntry } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import './audit.css';
import { difference } from './difference.ts';
import { words } from './words.ts';

const LINES_SHOWN = 6;

/** The stored entry, collapsed by default. */
export function Details({ entry }: { entry: AuditEntry }) {
  const w = useWords(words);
  return (
    <details className="audit-details">
      <summary>{w.details}</summary>
      <p className="mono">
        {entry.action} · {entry.subject} · {entry.actor}
        {entry.request_id !== null && ` · ${entry.request_id}`}
      </p>
      <Change entry={entry} />
    </details>
  );
}

/** The old value struck through and the new value in green, with hidden words for screen readers. */
function Change({ entry }: { entry: AuditEntry }) {
  const w = useWords(words);
  const [isWhole, setWhole] = useState(false);
  const lines = difference(entry.before, entry.after);
  if (lines.length === 0) return <span style={{ color: 'var(--mantine-color-dimmed)' }}>{w.noDetail}</span>;
  const shown = isWhole ? lines : lines.slice(0, LINES_SHOWN);
  return (
    <>
      <dl className="audit-diff">
        {shown.map(({ field, before, after }) => (
          <Line key={field} field={field} before={before} after={after} />
        ))}
      </dl>
      {lines.length > LINES_SHOWN && (
        <Anchor component="button" type="button" size="xs" onClick={() => setWhole(!isWhole)}>
          {isWhole ? w.fewer : w.more(lines.length - LINES_SHOWN)}
        </Anchor>
      )}
    </>
  );
}

function Line({
  field,
  before,
  after,
}: {
  field: string;
  before: string | undefined;
  after: string | undefined;
}) {
  const w = useWords(words);
  return (
    <>
      <dt className="mono">{field}</dt>
      <dd className="num">
        {before !== undefined && (
          <>
            <span className="only-read">{w.before} </span>
            <del>{before}</del>
            {after !== undefined && <span aria-hidden> → </span>}
          </>
        )}
        {after !== undefined && (
          <>
            <span className="only-read"> {w.after} </span>
            <ins>{after}</ins>
          </>
        )}
      </dd>
    </>
  );
}
