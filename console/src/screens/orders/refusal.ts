// Why a move was refused, in the words of the page rather than of the API.
import { ApiError } from '../../api/error.ts';
import type { OrderStatus } from '../../api/types.ts';
import { useStatusName } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { readShortage } from './shortage.ts';
import { moveWords } from './words.ts';

export interface MoveRefusal {
  code: string | null;
  /** What the service said. */
  error: string;
  /** The order's status now, as far as known. */
  status: OrderStatus | null;
  requested: OrderStatus;
}

export function useRefusal(): (refusal: MoveRefusal) => string {
  const w = useWords(moveWords);
  const format = useFormat();
  const name = useStatusName();
  const wordsFor: Record<string, (refusal: MoveRefusal) => string> = {
    invalid_transition: ({ status, requested }) =>
      status === null ? w.impossible(name(requested)) : w.impossibleFrom(name(status), name(requested)),
    insufficient_stock: ({ error }) => {
      const shortage = readShortage(error);
      if (shortage === null) return w.shortSomewhere;
      const { sku, available, requested } = shortage;
      return w.short(sku, format.integer(available), format.integer(requested));
    },
    not_found: () => w.gone,
    unavailable: () => w.unavailable,
    failed: () => w.broke,
  };
  return (refusal) => wordsFor[refusal.code ?? '']?.(refusal) ?? refusal.error;
}

/** The 409 of a single order; null for anything else. */
export function refusalOf(error: unknown, requested: OrderStatus): MoveRefusal | null {
  if (!(error instanceof ApiError) || error.status !== 409) return null;
  const { current_status } = (error.body ?? {}) as { current_status?: OrderStatus };
  return { code: error.code, error: error.message, status: current_status ?? null, requested };
}
