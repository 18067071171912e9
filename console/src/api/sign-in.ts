// In, out, and the password.
import { wordsNow } from '../i18n/words.ts';
import { ApiError } from './error.ts';
import { queryClient } from './query.ts';
import { del, get, post, put } from './request.ts';
import { enter, leave, sessionNow } from './session.ts';
import { words } from './words.ts';

/** At the start of the page: who the cookie belongs to. */
export async function recall(): Promise<void> {
  try {
    enter(await get('/session'));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    leave();
  }
}

/** An empty code: none was asked for yet. */
export async function signIn(email: string, password: string, code = ''): Promise<void> {
  const before = sessionNow();
  const session = await post('/session', { email, password, ...(code === '' ? {} : { code }) }).catch(
    (error: unknown) => {
      throw inOurWords(error, code !== '');
    },
  );
  // Nothing that another person saw may remain.
  if (before === null || before.user?.id !== session.user?.id) queryClient.clear();
  enter(session);
}

/** The two answers that people meet at the door, in their language. */
function inOurWords(error: unknown, withCode: boolean): unknown {
  if (!(error instanceof ApiError) || error.code === 'second_factor_required') return error;
  const own: Record<number, string> = {
    401: withCode ? wordsNow(words).wrongCode : wordsNow(words).wrong,
    429: wordsNow(words).wait,
  };
  const text = own[error.status];
  return text === undefined ? error : new ApiError(error.status, text);
}

/** The password is right, and a code is asked for. */
export const isCodeAsked = (error: unknown): boolean =>
  error instanceof ApiError && error.code === 'second_factor_required';

export async function signOut(everywhere: boolean): Promise<void> {
  await del(everywhere ? '/sessions' : '/session').catch((error: unknown) => {
    // A session that is gone already is what was wanted.
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
  });
  queryClient.clear();
  leave();
}

export async function changePassword(current_password: string, new_password: string): Promise<void> {
  enter(await put('/session/password', { current_password, new_password }));
}
