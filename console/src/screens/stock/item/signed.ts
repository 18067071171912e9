import { useFormat } from '../../../i18n/format.ts';

/** +5, −3: with a real minus sign, as in the formula. */
export function useSigned(): (n: number) => string {
  const format = useFormat();
  return (n) => `${n < 0 ? '−' : '+'}${format.integer(Math.abs(n))}`;
}
