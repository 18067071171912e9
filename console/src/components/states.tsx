import { Alert, Button, Skeleton, Stack } from '@mantine/core';
import { CircleAlert, Inbox, RotateCw, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError, isGone, messageOf } from '../api/error.ts';
import { common } from '../i18n/common.ts';
import { useWords } from '../i18n/words.ts';
import './states.css';

interface EmptyProps {
  icon?: LucideIcon;
  color?: string;
  title?: string;
  text?: ReactNode;
  action?: ReactNode;
}

/** Empty state, with a hint on what to do. */
export function EmptyState({ icon: Icon = Inbox, color = 'currentColor', title, text, action }: EmptyProps) {
  const w = useWords(common);
  return (
    <div className="state">
      <Icon size={28} strokeWidth={1.5} color={color} aria-hidden />
      <p className="state-title">{title ?? w.empty}</p>
      {text !== undefined && <p className="state-text">{text}</p>}
      {action}
    </div>
  );
}

/** No row matches the filters; offers to reset them. */
export function NoMatch({ onReset }: { onReset: () => void }) {
  const w = useWords(common);
  return (
    <EmptyState
      title={w.noMatch}
      text={w.noMatchHint}
      action={
        <Button variant="default" onClick={onReset}>
          {w.resetFilters}
        </Button>
      }
    />
  );
}

/** A failed read, with its message and a retry button. */
export function ErrorState({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const w = useWords(common);
  return (
    <div role="alert">
      <EmptyState
        icon={CircleAlert}
        color="var(--bad)"
        title={w.failed}
        text={messageOf(error)}
        action={
          onRetry && (
            <Button variant="default" leftSection={<RotateCw size={15} aria-hidden />} onClick={onRetry}>
              {w.retry}
            </Button>
          )
        }
      />
    </div>
  );
}

/** Skeleton lines while data loads. */
export function Loading({ lines = 6 }: { lines?: number }) {
  const w = useWords(common);
  return (
    <Stack gap="sm" role="status" aria-label={w.loading}>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={18} width={`${92 - ((line * 17) % 40)}%`} />
      ))}
    </Stack>
  );
}

const NONE: readonly string[] = [];

/**
 * The error of a form, shown above its buttons. Errors of fields named in `except` are left out, because the form
 * shows them at the fields.
 */
export function Problem({ error, except = NONE }: { error: unknown; except?: readonly string[] }) {
  if (error === null || error === undefined) return null;
  const texts = textsOf(error, except);
  if (texts.length === 0) return null;
  return (
    <Alert color="red" icon={<CircleAlert size={18} aria-hidden />} role="alert" p="sm">
      {texts.map((text) => (
        <div key={text}>{text}</div>
      ))}
    </Alert>
  );
}

function textsOf(error: unknown, except: readonly string[]): string[] {
  if (!(error instanceof ApiError) || !error.hasFields) return [messageOf(error)];
  return Object.entries(error.fields).flatMap(([field, texts]) => (except.includes(field) ? [] : texts));
}

interface ReadQuery<T> {
  data: T | undefined;
  error: Error | null;
  refetch: () => unknown;
}

/**
 * The three states of a read: `<Reading query={useGet<…>(…)}>{(data) => …}</Reading>`. What was read before is not shown
 * any more after it was removed; after other failures it is.
 */
export function Reading<T>({
  query,
  lines,
  children,
}: {
  query: ReadQuery<T>;
  lines?: number;
  children: (data: T) => ReactNode;
}) {
  if (query.data !== undefined && !isGone(query.error)) return <>{children(query.data)}</>;
  if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading {...(lines === undefined ? {} : { lines })} />;
}
