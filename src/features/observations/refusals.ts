// What is refused about the lists of refused orders, late reports and unmapped SKUs.
import { refusal, type Id } from '../../platform/admin-api/refused.ts';

export const OBSERVATION_REFUSALS = {
  unmapped_sku_unknown: refusal<{ channel_id: number; sku: string }>({
    status: 404,
    words: ({ sku, channel_id }) => `SKU ${sku} on the list of channel ${channel_id} was not found.`,
  }),
  refused_order_unknown: refusal<{ refused_order_id: Id }>({
    status: 404,
    words: ({ refused_order_id }) => `The refused order ${refused_order_id} was not found on the list.`,
  }),
  late_report_unknown: refusal<{ late_report_id: Id }>({
    status: 404,
    words: ({ late_report_id }) => `The late report ${late_report_id} was not found on the list.`,
  }),
};

type Own = typeof OBSERVATION_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
