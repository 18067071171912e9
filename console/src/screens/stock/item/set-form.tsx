import { Alert, Button, Stack, Text } from '@mantine/core';
import { Users } from 'lucide-react';
import { useState } from 'react';
import { codeOf } from '../../../api/error.ts';
import { useSend } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { put } from '../../../api/request.ts';
import type { StockDetail } from '../../../api/types.ts';
import {
  NumberField,
  Problem,
  QUANTITY_MAX,
  ReasonField,
  useForm,
  useNumberFault,
  wholeNumber,
} from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { CountedAtField, useCountedAt } from '../counted-at.tsx';
import { STALE_PATHS } from '../../../components/stock-terms.ts';
import { opposite, showStock } from './opposite.ts';
import { useOvercommitting } from './overcommitting.ts';
import { useSigned } from './signed.ts';
import { words } from './words.ts';

const EMPTY = { quantity: '', counted_at: '', reason: '' };

interface SetProps {
  item: StockDetail;
  look: () => Promise<unknown>;
}

export function SetForm({ item, look }: SetProps) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  // The quantity shown when the input started: the numbers above keep updating.
  const [basis, setBasis] = useState(item.quantity);
  const save = useSend(
    (body: { quantity: number; reason: string; expected_quantity: number; counted_at?: string | null }) =>
      put(apiPath('/stock/{variant_code}', { variant_code: item.variant_code }), body),
    {
      refresh: STALE_PATHS,
      failure: 'inline',
      done: (now) => w.setDone(now.variant_code, format.integer(now.quantity)),
      undo: (now, { expected_quantity, reason: why }) =>
        opposite(now.variant_code, now.quantity - expected_quantity, w.undoReason(why)),
      onDone: (now) => {
        showStock(now);
        setBasis(now.quantity);
        form.saved(EMPTY);
      },
    },
  );
  const faultOf = useNumberFault();
  const countedAt = useCountedAt();
  const signed = useSigned();
  const form = useForm(EMPTY, {
    error: save.error,
    // A count overwrites the recorded stock: the ledger needs a reason.
    check: ({ quantity, counted_at, reason }) => ({
      ...(wholeNumber(quantity) === null ? { quantity: faultOf(quantity) ?? c.required } : {}),
      ...countedAt.fault(counted_at),
      ...(reason.trim() === '' ? { reason: c.required } : {}),
    }),
  });
  if (!form.isDirty && basis !== item.quantity) setBasis(item.quantity);

  const { counted_at, reason } = form.values;
  const typed = wholeNumber(form.values.quantity);
  const isOvertaken = form.isDirty && basis !== item.quantity && !save.isPending;
  const { textFor, mayHave } = useOvercommitting(item);
  const tooLow = typed === null || counted_at.trim() !== '' ? null : textFor(typed);
  const send = async (quantity: number, expected_quantity: number) => {
    // The result of an earlier count is known only to the service.
    if (counted_at.trim() === '' && !(await mayHave(quantity))) return;
    const body = { quantity, reason: reason.trim(), expected_quantity, ...countedAt.sent(counted_at) };
    save.mutate(body, { onError: (error) => void (codeOf(error) === 'stale' && look()) });
  };
  const goOn = (quantity: number) => {
    setBasis(item.quantity);
    void send(quantity, item.quantity);
  };
  const giveUp = () => {
    save.reset();
    form.reset(EMPTY);
  };
  return (
    <form
      noValidate
      onSubmit={form.submit(({ quantity }) => {
        if (!isOvertaken) void send(wholeNumber(quantity) ?? 0, basis);
      })}
    >
      <Stack gap="sm">
        <NumberField
          label={w.counted}
          description={w.shownNow(format.integer(basis))}
          {...form.text('quantity')}
        />
        {typed !== null && (
          <Text size="sm" className="num" aria-live="polite">
            {counted_at.trim() !== ''
              ? w.countSince
              : typed === basis
                ? w.countFits
                : w.countChanges(format.integer(basis), format.integer(typed), signed(typed - basis))}
          </Text>
        )}
        {tooLow !== null && (
          <Text size="sm" c="red" role="status">
            {tooLow}
          </Text>
        )}
        <CountedAtField {...form.text('counted_at')} />
        <ReasonField description={w.reasonHint} {...form.text('reason')} />
        {isOvertaken ? (
          <Overtaken before={basis} now={item.quantity} typed={typed} onSet={goOn} onGiveUp={giveUp} />
        ) : (
          <>
            <Problem error={save.error} except={form.names} />
            <Button type="submit" loading={save.isPending}>
              {w.setButton}
            </Button>
          </>
        )}
      </Stack>
    </form>
  );
}

interface OvertakenProps {
  before: number;
  now: number;
  typed: number | null;
  onSet: (quantity: number) => void;
  onGiveUp: () => void;
}

/** The stock changed during the input: shows the new quantity and the options. Overwriting is never the first option. */
function Overtaken({ before, now, typed: wanted, onSet, onGiveUp }: OvertakenProps) {
  const w = useWords(words);
  const format = useFormat();
  const signed = useSigned();
  const difference = wanted === null ? 0 : wanted - before;
  return (
    <Alert
      className="stock-item-ways"
      color="orange"
      role="alert"
      p="sm"
      title={w.fasterTitle}
      icon={<Users size={18} aria-hidden />}
    >
      <Stack gap="xs">
        {w.fasterText(
          format.integer(before),
          format.integer(now),
          wanted === null ? '–' : format.integer(wanted),
        )}
        <Button size="sm" onClick={onGiveUp}>
          {w.takeNew}
        </Button>
        {wanted !== null && difference !== 0 && now + difference >= 0 && now + difference <= QUANTITY_MAX && (
          <Button size="sm" variant="default" onClick={() => onSet(now + difference)}>
            {w.keepDifference(
              format.integer(now),
              signed(difference).replace(/^(.)/, '$1 '),
              format.integer(now + difference),
            )}
          </Button>
        )}
        {wanted !== null && (
          <Button size="sm" variant="outline" color="red" onClick={() => onSet(wanted)}>
            {w.setAnyway(format.integer(wanted))}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
