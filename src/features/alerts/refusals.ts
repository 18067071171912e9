// What is refused about alerts.
import { refusal } from '../../platform/admin-api/refused.ts';

export const ALERT_REFUSALS = {
  alert_kind_unknown: refusal<{ alert_kind: string }>({
    status: 404,
    words: ({ alert_kind }) => `There are no alerts of the kind ${alert_kind}.`,
  }),
};

type Own = typeof ALERT_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
