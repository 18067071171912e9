// Sign-in, sign-out and password change.
import { wordsNow } from '../i18n/words.ts';
import { ApiError } from './error.ts';
import { queryClient } from './query.ts';
import { del, get, post, put } from './request.ts';
import { enter, leave, sessionNow } from './session.ts';
import { words } from './words.ts';

/** Loads the session of the cookie when the page starts. */
export async function recall(): Promise<void> {
  try {
    enter(await get('/session'));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    leave();
  }
}

/** `code` empty: no code has been requested yet. */
export async function signIn(email: string, password: string, code = ''): Promise<void> {
  const before = sessionNow();
  const session = await post('/session', { email, password, ...(code === '' ? {} : { code }) }).catch(
    (error: unknown) => {
      throw inOurWords(error, code !== '');
    },
  );
  // Data that another user has read must not stay in the cache.
  if (before === null || before.user?.id !== session.user?.id) queryClient.clear();
  enter(session);
}

/** The two common errors of a sign-in, in the language of the page. */
function inOurWords(error: unknown, withCode: boolean): unknown {
  if (!(error instanceof ApiError) || error.code === 'second_factor_required') return error;
  const own: Record<number, string> = {
    401: withCode ? wordsNow(words).wrongCode : wordsNow(words).wrong,
    429: wordsNow(words).wait,
  };
  const text = own[error.status];
  return text === undefined ? error : new ApiError(error.status, text);
}

/** The password is correct, and a second factor is required. */
export const isCodeAsked = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'second_factor_required';

export async function signOut(everywhere: boolean): Promise<void> {
  await del(everywhere ? '/sessions' : '/session').catch((error: unknown) => {
    // 401: the session has already ended.
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  });
  queryClient.clear();
  leave();
}

export async function changePassword(current_password: string, new_password: string): Promise<void> {
  enter(await put('/session/password', { current_password, new_password }));
}
