// No stock record: either the item never had stock, or it does not exist.
import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { PackagePlus, SearchX } from 'lucide-react';
import { ApiError } from '../../../api/error.ts';
import { refresh, useGet, useSend } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { get, put } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { StockCount, StockDetail } from '../../../api/types.ts';
import {
  EmptyState,
  LinkButton,
  Loading,
  NumberField,
  Problem,
  ReasonField,
  useForm,
  useNumberFault,
  wholeNumber,
} from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { STALE_PATHS } from '../../../components/stock-terms.ts';
import { words } from './words.ts';

export function MissingStock({ code }: { code: string }) {
  const w = useWords(words);
  const canEdit = useCan('operator');
  // The ledger answers for every existing item, with or without a stock record.
  const ledger = useGet(apiPath('/stock/{variant_code}/movements', { variant_code: code }), { limit: 1 });
  if (ledger.isPending) return <Loading lines={3} />;
  if (ledger.error instanceof ApiError && ledger.error.status === 404) {
    return (
      <EmptyState
        icon={SearchX}
        title={w.unknownTitle}
        text={w.unknownText(code)}
        action={<LinkButton to="/stock" label={w.toStock} />}
      />
    );
  }
  return canEdit ? (
    <CreateStock code={code} />
  ) : (
    <EmptyState icon={PackagePlus} title={w.missingTitle} text={w.missingText} />
  );
}

const EMPTY = { quantity: '', reason: '' };

function CreateStock({ code }: { code: string }) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const save = useSend(
    (body: { quantity: number; reason: string | null }) => create(code, body, w.appeared),
    {
      failure: 'inline',
      done: (now) => w.setDone(code, format.integer(now.quantity)),
      onDone: () => {
        form.saved();
        void refresh(...STALE_PATHS);
      },
    },
  );
  const faultOf = useNumberFault();
  const form = useForm(EMPTY, {
    error: save.error,
    check: ({ quantity }) =>
      wholeNumber(quantity) === null ? { quantity: faultOf(quantity) ?? c.required } : {},
  });
  const submit = form.submit(({ quantity, reason }) =>
    save.mutate({
      quantity: wholeNumber(quantity) ?? 0,
      reason: reason.trim() === '' ? null : reason.trim(),
    }),
  );
  return (
    <Paper component="section" maw={480}>
      <Title order={2} mb="xs">
        {w.missingTitle}
      </Title>
      <Text size="sm" c="dimmed" mb="md">
        {w.missingText}
      </Text>
      <form noValidate onSubmit={submit}>
        <Stack gap="sm">
          <NumberField label={w.firstQuantity} {...form.text('quantity')} />
          <ReasonField isOptional description={w.reasonHint} {...form.text('reason')} />
          <Problem error={save.error} except={form.names} />
          <Button type="submit" loading={save.isPending}>
            {w.createButton}
          </Button>
        </Stack>
      </form>
    </Paper>
  );
}

/** The API has no "create only if missing": checks again right before the write. */
async function create(code: string, body: StockCount, appeared: string): Promise<StockDetail> {
  const found = await get(apiPath('/stock/{variant_code}', { variant_code: code })).catch(
    (error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    },
  );
  if (found !== null) throw new ApiError(409, appeared);
  return put(apiPath('/stock/{variant_code}', { variant_code: code }), body);
}
