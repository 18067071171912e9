import { REASON_CHARACTERS_MAX } from '../../../../src/domain/text-limits.ts';
import { apiPath } from '../../api/address.ts';
import { showAnswer } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import type { StockDetail } from '../../api/types.ts';

/**
 * The quantities after a change of the user's own. Without it, a count that is typed before the page reads the stock again
 * would seem overtaken by that change.
 */
export const showStock = (now: StockDetail): void =>
  showAnswer(apiPath('/stock/{variant_code}', { variant_code: now.variant_code }), now);

/**
 * Undoes a correction of stock by the opposite adjustment. What was shipped or returned meanwhile stays; the service refuses it
 * where too little is left. null: nothing was changed.
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

/** "Undone: …" may be longer than a reason can be. */
export const undoReason = (reason: string): string =>
  Array.from(reason).slice(0, REASON_CHARACTERS_MAX).join('');
