// The reason for a failed run in the language of the page, by code and facts.
import type { RateSourceRun } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import { faultWords, reasonWords, sourceWords } from './source-words.ts';

const textIn = (facts: RateSourceRun['details'], name: string): string => {
  const value: unknown = facts === null ? undefined : Reflect.get(facts, name);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};

export function useFailureText(): (run: RateSourceRun) => string {
  const w = useWords(sourceWords);
  const faults = useWords(faultWords);
  const reasons = useWords(reasonWords);
  return ({ code, details, error }) => {
    const host = textIn(details, 'host');
    if (code === 'unusable') {
      const fault: unknown = details === null ? null : Reflect.get(details, 'fault');
      const known = typeof fault === 'object' && fault !== null ? (fault as { kind?: string }) : {};
      const say = faults[known.kind as keyof typeof faults];
      if (say !== undefined) return w.unusable(host, say(textIn(known, 'currency_code')));
    }
    const say = reasons[code as keyof typeof reasons];
    return say === undefined ? (error ?? '') : say(host, textIn(details, 'status'));
  };
}
