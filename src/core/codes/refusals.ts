// What is refused about common codes.
import { refusal } from '../../platform/admin-api/refused.ts';

export const CODE_REFUSALS = {
  common_code_unknown: refusal<{ group: string; code: string }>({
    status: 404,
    words: ({ group, code }) => `The code ${code} of the group ${group} was not found.`,
  }),
};

type Own = typeof CODE_REFUSALS;
declare module '../../platform/admin-api/refused.ts' {
  interface Refusals extends Own {}
}
