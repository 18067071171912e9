// Which roles see which page. The API enforces roles itself; the console only hides what would be refused.
import { Center, Loader } from '@mantine/core';
import { ShieldAlert } from 'lucide-react';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { useCan, useSessionState } from '../api/session.ts';
import { recall } from '../api/sign-in.ts';
import type { Role } from '../api/types.ts';
import { EmptyState, ErrorState } from '../components/states.tsx';
import { Page } from '../components/page.tsx';
import { useRoleName } from '../components/values.tsx';
import { useWords } from '../i18n/words.ts';
import { words } from './words.ts';

/** Loads the session of the cookie once, then shows `children`; until then a loader or the error. */
export function WithSession({ children }: { children: ReactNode }) {
  const { kind } = useSessionState();
  const [error, setError] = useState<unknown>(null);
  const ask = useCallback(() => {
    setError(null);
    recall().catch(setError);
  }, []);
  useEffect(() => {
    if (kind === 'unknown') ask();
  }, [kind, ask]);
  if (kind !== 'unknown') return <>{children}</>;
  return (
    <Center mih="100dvh">{error === null ? <Loader /> : <ErrorState error={error} onRetry={ask} />}</Center>
  );
}

export function NeedsSession({ children }: { children: ReactNode }) {
  return (
    <WithSession>
      <SignedIn>{children}</SignedIn>
    </WithSession>
  );
}

function SignedIn({ children }: { children: ReactNode }) {
  const state = useSessionState();
  const { pathname, search, hash } = useLocation();
  const here = `${pathname}${search}${hash}`;
  const back = here === '/' ? '' : `?to=${encodeURIComponent(here)}`;
  if (state.kind === 'out' || state.kind === 'unknown') return <Navigate replace to={`/sign-in${back}`} />;
  if (state.session.must_change_password) return <Navigate replace to={`/change-password${back}`} />;
  if (state.session.must_set_up_second_factor) return <Navigate replace to={`/second-factor${back}`} />;
  return <>{children}</>;
}

export function NeedsRole({ role, children }: { role: Role; children: ReactNode }) {
  const w = useWords(words);
  const name = useRoleName();
  const can = useCan(role);
  if (can) return <>{children}</>;
  return (
    <Page title={w.noRightTitle}>
      <EmptyState icon={ShieldAlert} title={w.noRightText(name(role))} />
    </Page>
  );
}
