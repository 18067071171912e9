// The sealed secrets of second factors.
import { plural } from '../cli/output.ts';
import type { SealedColumn } from '../secrets/sealed-column.ts';

/** Authenticated context of the sealed secret. */
export const secondFactorContext = (accountId: number): string => `second_factor:${accountId}`;

export const secondFactors: SealedColumn = {
  name: 'second_factor',
  table: 'second_factor',
  owner: 'account_id',
  sealed: 'secret_sealed',
  context: secondFactorContext,
  closed: {
    log: () =>
      'the secret does not open second factors: these users can sign in with recovery codes alone. Start with the right secret, or reset them',
    owners: 'users',
    values: ({ length }) => plural(length, 'second factor'),
    otherwise: 'reset them ("sluice user reset-second-factor")',
  },
};
