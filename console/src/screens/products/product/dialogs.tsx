import { TextInput } from '@mantine/core';
import {
  CODE_CHARACTERS_MAX,
  PRODUCT_NAME_CHARACTERS_MAX,
} from '../../../../../src/platform/values/text-limits.ts';
import { useSend } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { patch, post } from '../../../api/request.ts';
import type { Product } from '../../../api/types.ts';
import { FormDialog, Problem, useForm } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { words } from './words.ts';

interface DialogProps {
  product: Product;
  onClose: () => void;
}

export function Rename({ product, onClose }: DialogProps) {
  const w = useWords(words);
  const c = useWords(common);
  const save = useSend(
    (name: string) => patch(apiPath('/products/{code}', { code: product.code }), { name }),
    {
      refresh: ['/products', '/stock', '/allocations'],
      failure: 'inline',
      done: w.renamed,
      onDone: onClose,
    },
  );
  const form = useForm(
    { name: product.name },
    { error: save.error, check: ({ name }) => (name.trim() === '' ? { name: c.required } : {}) },
  );
  return (
    <FormDialog
      form={form}
      title={w.renameTitle}
      onClose={onClose}
      onSubmit={form.submit(({ name }) => save.mutate(name.trim()))}
      submit={c.save}
      isSending={save.isPending}
    >
      <TextInput
        label={c.name}
        description={w.renameHint}
        maxLength={PRODUCT_NAME_CHARACTERS_MAX}
        data-autofocus
        {...form.text('name')}
      />
      <Problem error={save.error} except={form.names} />
    </FormDialog>
  );
}

export function AddItem({ product, onClose }: DialogProps) {
  const w = useWords(words);
  const c = useWords(common);
  const save = useSend(
    (item: { code: string; power: string | null }) =>
      post(apiPath('/products/{code}/variants', { code: product.code }), item),
    { refresh: ['/products'], failure: 'inline', done: ({ code }) => w.added(code), onDone: onClose },
  );
  const start = `${product.code}-`;
  const form = useForm(
    { code: start, power: '' },
    {
      error: save.error,
      check: ({ code }) => (code.trim() === '' || code.trim() === start ? { code: c.required } : {}),
    },
  );
  const setPower = (power: string) => {
    // Follows the power until the user enters a code.
    const follows = form.values.code === `${start}${form.values.power.trim()}`;
    form.set({ power, ...(follows ? { code: `${start}${power.trim()}` } : {}) });
  };
  return (
    <FormDialog
      form={form}
      title={w.addItem}
      onClose={onClose}
      onSubmit={form.submit(({ code, power }) =>
        save.mutate({ code: code.trim(), power: power.trim() || null }),
      )}
      submit={c.add}
      isSending={save.isPending}
    >
      <TextInput
        label={`${c.power} (${c.optional})`}
        description={w.powerHint}
        maxLength={CODE_CHARACTERS_MAX}
        data-autofocus
        {...form.text('power')}
        onChange={(event) => setPower(event.currentTarget.value)}
      />
      <TextInput
        label={w.itemCode}
        description={w.itemCodeHint}
        maxLength={CODE_CHARACTERS_MAX}
        {...form.text('code')}
      />
      <Problem error={save.error} except={form.names} />
    </FormDialog>
  );
}
