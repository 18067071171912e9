import { useState } from 'react';
import { isCodeAsked } from '../api/sign-in.ts';

/** Once a sign-in has asked for a code, the field stays: a wrong code is corrected there. */
export function useAsksCode(error: unknown): boolean {
  const [asked, setAsked] = useState(false);
  const now = asked || isCodeAsked(error);
  if (now !== asked) setAsked(now);
  return now;
}
