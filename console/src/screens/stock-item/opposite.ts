import { REASON_CHARACTERS_MAX } from '../../../../src/domain/text-limits.ts';
import { apiPath } from '../../api/address.ts';
import { post } from '../../api/request.ts';

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
    : () =>
        post(apiPath('/stock/{variant_code}/adjustments', { variant_code }), {
          delta: -delta,
          reason: undoReason(reason),
        });

/** "Undone: …" may be longer than a reason can be. */
export const undoReason = (reason: string): string =>
  Array.from(reason).slice(0, REASON_CHARACTERS_MAX).join('');
