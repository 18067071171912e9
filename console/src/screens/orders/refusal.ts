// The reason for a refused status change, in the language of the page.
import { ApiError } from '../../api/error.ts';
import { fieldTexts, type Fault } from '../../api/faults.ts';
import type { OrderStatus } from '../../api/types.ts';
import { useStatusName } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { shortageOf } from './shortage.ts';
import { moveWords } from './words.ts';

export interface MoveRefusal {
  code: string | null;
  details: Record<string, unknown> | null;
  /** The message of the service. */
  error: string;
  /** The current status of the order, if known. */
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
    insufficient_stock: ({ details }) => {
      const shortage = shortageOf(details);
      if (shortage === null) return w.shortSomewhere;
      const { sku, available, requested } = shortage;
      return w.short(sku, format.integer(available), format.integer(requested));
    },
    not_found: () => w.gone,
    unknown: () => w.unknown,
    ambiguous: () => w.ambiguous,
    unauthorized: () => w.unauthorized,
    number_missing: () => w.numberMissing,
    tracking_missing: () => w.trackingMissing,
    number_rounded: () => w.numberRounded,
    unavailable: () => w.unavailable,
    failed: () => w.broke,
  };
  return (refusal) => wordsFor[refusal.code ?? '']?.(refusal) ?? refusal.error;
}

/** The first fault of an invalid change, in the language of the page. */
export function firstFault(
  details: Record<string, unknown> | null,
  errors: Record<string, string[]>,
): string | undefined {
  const faults = (details?.['faults'] ?? []) as Fault[];
  return Object.values(fieldTexts(faults, errors))[0]?.[0];
}

/** The refusal in a 409 for a single order; null for any other error. */
export function refusalOf(error: unknown, requested: OrderStatus): MoveRefusal | null {
  if (!(error instanceof ApiError) || error.status !== 409) return null;
  const { code, details, message } = error;
  const { current_status } = details as { current_status?: OrderStatus };
  return { code, details, error: message, status: current_status ?? null, requested };
}
