import { REASON_CHARACTERS_MAX } from '../../../../../src/platform/values/text-limits.ts';
import { apiPath } from '../../../api/address.ts';
import { showAnswer } from '../../../api/query.ts';
import { post } from '../../../api/request.ts';
import type { StockDetail } from '../../../api/types.ts';

/**
 * Shows the quantities after the user's own change. Without this, a count typed before the page reads the stock again would
 * seem to conflict with that change.
 */
export const showStock = (now: StockDetail): void =>
  showAnswer(apiPath('/stock/{variant_code}', { variant_code: now.variant_code }), now);

/**
 * Undoes a stock change by the opposite adjustment. Later shipments and returns are preserved; the service refuses the undo
 * if too little stock is left. null: nothing was changed.
 */
export const opposite = (
  variant_code: string,
  delta: number,
  reason: string,
): (() => Promise<unknown>) | null =>
  delta === 0
    ? null
    : async () =>
        showStock(
          await post(apiPath('/stock/{variant_code}/adjustments', { variant_code }), {
            delta: -delta,
            reason: undoReason(reason),
          }),
        );

/** Truncates: with "Undone: …" the text may exceed the limit of a reason. */
export const undoReason = (reason: string): string =>
  Array.from(reason).slice(0, REASON_CHARACTERS_MAX).join('');
