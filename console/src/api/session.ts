// The session: a small store shared by the request function and the page.
import { useSyncExternalStore } from 'react';
import type { Role, Session } from './types.ts';

/**
 * `ended`: the session was valid, but the service no longer knows it. The page stays, with a sign-in dialog over it, and
 * the requests that got a 401 wait for the new sign-in.
 */
export type SessionState =
  | { kind: 'unknown' }
  | { kind: 'out' }
  | { kind: 'in'; session: Session }
  | { kind: 'ended'; session: Session };

let state: SessionState = { kind: 'unknown' };
const listeners = new Set<() => void>();
let waiting: ((renewed: boolean) => void)[] = [];

const sessionState = (): SessionState => state;

function set(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

export const sessionNow = (): Session | null =>
  state.kind === 'in' || state.kind === 'ended' ? state.session : null;

/** After a sign-in, a renewal or a password change: waiting requests are repeated. */
export function enter(session: Session): void {
  set({ kind: 'in', session });
  release(true);
}

/** After a sign-out, or if nobody was signed in: waiting requests fail. */
export function leave(): void {
  set({ kind: 'out' });
  release(false);
}

/** Called after a 401. Resolves to whether the user signed in again. */
export function renewal(): Promise<boolean> {
  const session = sessionNow();
  if (session === null) return Promise.resolve(false);
  if (state.kind !== 'ended') set({ kind: 'ended', session });
  return new Promise((resolve) => waiting.push(resolve));
}

function release(renewed: boolean): void {
  const them = waiting;
  waiting = [];
  for (const go of them) go(renewed);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useSessionState = (): SessionState => useSyncExternalStore(subscribe, sessionState);

/** The session of the page, or null if nobody is signed in. */
export const useSession = (): Session | null => useSyncExternalStore(subscribe, sessionNow);

const RANK: Record<Role, number> = { viewer: 0, operator: 1, admin: 2 };

export const can = (session: Session | null, needs: Role): boolean =>
  session !== null && RANK[session.role] >= RANK[needs];

/** `useCan('operator')`: whether the user has at least this role, to hide what the API would refuse. */
export const useCan = (needs: Role): boolean => can(useSession(), needs);
