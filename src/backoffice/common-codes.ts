// Code lists; the group DELIVERY_COMPANY contains the couriers of shipments.
import { deleteCommonCode, lockCommonCode, upsertCommonCode } from '../store/common-codes.ts';
import type { Tx } from '../store/database.ts';
import { changing, type Actor } from './changing.ts';

export const COURIER_GROUP = 'DELIVERY_COMPANY';

interface CodeOfGroup {
  group: string;
  code: string;
}

const subjectOf = ({ group, code }: CodeOfGroup): string => `common_code:${group}/${code}`;

/** Adds the code, or renames it. */
export const putCommonCode = (tx: Tx, by: Actor, wanted: CodeOfGroup & { name: string }) =>
  changing(tx, by, async () => {
    const { group, code, name } = wanted;
    const before = await lockCommonCode(tx, group, code);
    await upsertCommonCode(tx, group, { code, name });
    return {
      done: {},
      audit: {
        action: 'common_code.put',
        subject: subjectOf(wanted),
        before: before ? { name: before.name } : null,
        after: { name },
      },
      journal: null,
    };
  });

/** Recorded shipments keep it. */
export const removeCommonCode = (tx: Tx, by: Actor, { group, code }: CodeOfGroup) =>
  changing<object, 'common_code_unknown'>(tx, by, async () => {
    const before = await lockCommonCode(tx, group, code);
    if (!before) return { kind: 'common_code_unknown', group, code };
    await deleteCommonCode(tx, group, code);
    return {
      done: {},
      audit: {
        action: 'common_code.delete',
        subject: subjectOf({ group, code }),
        before: { name: before.name },
        after: null,
      },
      journal: null,
    };
  });
