import { Alert, Button, NumberInput, Stack, Textarea } from '@mantine/core';
import { Users } from 'lucide-react';
import { useState } from 'react';
import { codeOf } from '../../api/error.ts';
import { useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { put } from '../../api/request.ts';
import type { StockDetail } from '../../api/types.ts';
import { Problem, useForm } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { QUANTITY_MAX, REASON_CHARACTERS_MAX, STALE_PATHS } from '../stock/terms.ts';
import { useSigned } from './signed.ts';
import { words } from './words.ts';

const EMPTY = { quantity: '' as number | string, reason: '' };

interface SetProps {
  item: StockDetail;
  look: () => Promise<unknown>;
}

export function SetForm({ item, look }: SetProps) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  // What the screen showed when the typing began: the numbers above go on changing by themselves.
  const [basis, setBasis] = useState(item.quantity);
  const save = useSend(
    (body: { quantity: number; reason: string | null; expected_quantity: number }) =>
      put(apiPath('/stock/{variant_code}', { variant_code: item.variant_code }), body),
    {
      refresh: STALE_PATHS,
      failure: 'inline',
      done: (now) => w.setDone(now.variant_code, format.integer(now.quantity)),
      onDone: (now) => {
        form.reset(EMPTY);
        setBasis(now.quantity);
      },
    },
  );
  const form = useForm(EMPTY, {
    error: save.error,
    check: ({ quantity }) =>
      quantity === ''
        ? { quantity: c.required }
        : typeof quantity === 'number' && Number.isInteger(quantity)
          ? {}
          : { quantity: w.wholeNumber },
  });
  if (!form.isDirty && basis !== item.quantity) setBasis(item.quantity);

  const { quantity: typed, reason } = form.values;
  const isOvertaken = form.isDirty && basis !== item.quantity && !save.isPending;
  const send = (quantity: number, expected_quantity: number) => {
    const body = { quantity, reason: reason.trim() === '' ? null : reason.trim(), expected_quantity };
    save.mutate(body, { onError: (error) => void (codeOf(error) === 'stale' && look()) });
  };
  const goOn = (quantity: number) => {
    setBasis(item.quantity);
    send(quantity, item.quantity);
  };
  const giveUp = () => {
    save.reset();
    form.reset(EMPTY);
  };
  return (
    <form noValidate onSubmit={form.submit(({ quantity }) => !isOvertaken && send(Number(quantity), basis))}>
      <Stack gap="sm">
        <NumberInput
          label={w.counted}
          description={w.shownNow(format.integer(basis))}
          min={0}
          max={QUANTITY_MAX}
          clampBehavior="strict"
          allowDecimal={false}
          allowNegative={false}
          {...form.number('quantity')}
        />
        <Textarea
          label={`${c.reason} (${c.optional})`}
          description={w.reasonHint}
          autosize
          minRows={1}
          maxLength={REASON_CHARACTERS_MAX}
          {...form.text('reason')}
        />
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
  typed: number | string;
  onSet: (quantity: number) => void;
  onGiveUp: () => void;
}

/** The stock changed meanwhile: shows the new quantity and the possible next steps. */
function Overtaken({ before, now, typed, onSet, onGiveUp }: OvertakenProps) {
  const w = useWords(words);
  const format = useFormat();
  const signed = useSigned();
  const wanted = typeof typed === 'number' ? typed : null;
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
        {wanted !== null && (
          <Button size="sm" onClick={() => onSet(wanted)}>
            {w.setAnyway(format.integer(wanted))}
          </Button>
        )}
        {wanted !== null && difference !== 0 && now + difference >= 0 && now + difference <= QUANTITY_MAX && (
          <Button size="sm" variant="default" onClick={() => onSet(now + difference)}>
            {w.keepDifference(
              format.integer(now),
              signed(difference).replace(/^(.)/, '$1 '),
              format.integer(now + difference),
            )}
          </Button>
        )}
        <Button size="sm" variant="default" onClick={onGiveUp}>
          {w.takeNew}
        </Button>
      </Stack>
    </Alert>
  );
}
