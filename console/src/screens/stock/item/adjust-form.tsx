import { Button, Stack, Text } from '@mantine/core';
import { useSend } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { post } from '../../../api/request.ts';
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
import { STALE_PATHS } from '../../../components/stock-terms.ts';
import { opposite, showStock } from './opposite.ts';
import { useOvercommitting } from './overcommitting.ts';
import { useSigned } from './signed.ts';
import { words } from './words.ts';

const EMPTY = { delta: '', reason: '' };
const DIFFERENCE = { min: -QUANTITY_MAX };

export function AdjustForm({ item }: { item: StockDetail }) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const signed = useSigned();
  const save = useSend(
    (body: { delta: number; reason: string }) =>
      post(apiPath('/stock/{variant_code}/adjustments', { variant_code: item.variant_code }), body),
    {
      refresh: STALE_PATHS,
      failure: 'inline',
      done: (now) => w.setDone(now.variant_code, format.integer(now.quantity)),
      undo: (now, body) => opposite(now.variant_code, body.delta, w.undoReason(body.reason)),
      onDone: (now) => {
        showStock(now);
        form.saved(EMPTY);
      },
    },
  );
  const form = useForm(EMPTY, {
    error: save.error,
    check: ({ delta, reason }) => ({
      ...(reason.trim() === '' ? { reason: c.required } : {}),
      ...deltaFault(delta),
    }),
  });
  const faultOf = useNumberFault();
  const deltaFault = (text: string): { delta?: string } => {
    if (text.trim() === '') return { delta: c.required };
    const delta = wholeNumber(text, DIFFERENCE.min);
    if (delta === null) return { delta: faultOf(text, DIFFERENCE) ?? c.required };
    if (delta === 0) return { delta: w.deltaZero };
    if (item.quantity + delta < 0) return { delta: w.belowZero };
    return item.quantity + delta > QUANTITY_MAX ? { delta: w.tooMuch } : {};
  };
  const delta = wholeNumber(form.values.delta, DIFFERENCE.min);
  const { textFor, mayHave } = useOvercommitting(item);
  const tooLow = delta === null ? null : textFor(item.quantity + delta);
  const send = async (typed: typeof EMPTY) => {
    const change = wholeNumber(typed.delta, DIFFERENCE.min) ?? 0;
    if (await mayHave(item.quantity + change)) save.mutate({ delta: change, reason: typed.reason.trim() });
  };
  return (
    <form noValidate onSubmit={form.submit((typed) => void send(typed))}>
      <Stack gap="sm">
        <NumberField label={w.delta} description={w.deltaHint} {...DIFFERENCE} {...form.text('delta')} />
        {delta !== null && delta !== 0 && (
          <Text size="sm" className="num" aria-live="polite">
            {w.result(
              format.integer(item.quantity),
              signed(delta).replace(/^(.)/, '$1 '),
              format.integer(item.quantity + delta),
            )}
          </Text>
        )}
        {tooLow !== null && (
          <Text size="sm" c="red" role="status">
            {tooLow}
          </Text>
        )}
        <ReasonField description={w.reasonHint} {...form.text('reason')} />
        <Problem error={save.error} except={form.names} />
        <Button type="submit" loading={save.isPending}>
          {w.adjustButton}
        </Button>
      </Stack>
    </form>
  );
}
