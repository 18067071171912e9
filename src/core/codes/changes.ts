// Code lists; the group DELIVERY_COMPANY contains the couriers of shipments.
import {
  deleteCommonCode,
  findCommonCode,
  lockCommonCodes,
  upsertCommonCode,
  type CommonCode,
} from './store.ts';
import type { Tx } from '../../platform/database/database.ts';
import { changing, type Actor } from '../journal/change.ts';

export const COURIER_GROUP = 'DELIVERY_COMPANY';

interface CodeOfGroup {
  group: string;
  code: string;
}

interface WantedCode extends CodeOfGroup {
  name: string;
  /** Absent: unchanged. */
  tracking_url?: string | null;
  /** Absent: unchanged. */
  aliases?: readonly string[] | null;
}

const subjectOf = ({ group, code }: CodeOfGroup): string => `common_code:${group}/${code}`;
const stateOf = ({ name, tracking_url, aliases }: CommonCode): object => ({
  name,
  ...(aliases.length === 0 ? {} : { aliases }),
  ...(tracking_url === null ? {} : { tracking_url }),
});

/** Adds the code, or changes it. */
export const putCommonCode = (tx: Tx, by: Actor, wanted: WantedCode) =>
  changing<{ code: CommonCode }>(tx, by, async () => {
    const { group, code, name } = wanted;
    await lockCommonCodes(tx);
    const before = await findCommonCode(tx, group, code);
    const { tracking_url = before?.tracking_url ?? null } = wanted;
    const aliases = [...new Set((wanted.aliases ?? before?.aliases ?? []).map((alias) => alias.trim()))];
    const after = { code, name, tracking_url, aliases };
    await upsertCommonCode(tx, group, after);
    return {
      done: { code: after },
      audit: {
        action: 'common_code.put',
        subject: subjectOf(wanted),
        before: before ? stateOf(before) : null,
        after: stateOf(after),
      },
      journal: null,
    };
  });

/** Recorded shipments keep their courier. */
export const removeCommonCode = (tx: Tx, by: Actor, { group, code }: CodeOfGroup) =>
  changing<object, 'common_code_unknown'>(tx, by, async () => {
    await lockCommonCodes(tx);
    const before = await findCommonCode(tx, group, code);
    if (!before) return { kind: 'common_code_unknown', group, code };
    await deleteCommonCode(tx, group, code);
    return {
      done: {},
      audit: {
        action: 'common_code.delete',
        subject: subjectOf({ group, code }),
        before: stateOf(before),
        after: null,
      },
      journal: null,
    };
  });
