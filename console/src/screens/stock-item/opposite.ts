import { apiPath } from '../../api/address.ts';
import { post } from '../../api/request.ts';
import { REASON_CHARACTERS_MAX } from '../stock/terms.ts';

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
          reason: Array.from(reason).slice(0, REASON_CHARACTERS_MAX).join(''),
        });
