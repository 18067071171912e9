import { ActionIcon, Button, Text, TextInput } from '@mantine/core';
import { Plus, X } from 'lucide-react';
import { useNavigate } from 'react-router';
import {
  CODE_CHARACTERS_MAX,
  PRODUCT_NAME_CHARACTERS_MAX,
} from '../../../../src/platform/values/text-limits.ts';
import { ApiError } from '../../api/error.ts';
import { useSend } from '../../api/query.ts';
import { path, post } from '../../api/request.ts';
import { Problem, useForm, FormDialog } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import './products.css';
import { words } from './words.ts';

interface ItemRow {
  /** React key: input stays with its row when rows are added or removed. */
  id: number;
  code: string;
  power: string;
}
interface NewProduct {
  code: string;
  name: string;
  variants: ItemRow[];
}

const START: NewProduct = { code: '', name: '', variants: [{ id: 0, code: '', power: '' }] };

/** The default item code is product code, hyphen, power, as in a registration from a channel. */
const codeOfRow = (product: string, { code, power }: ItemRow): string =>
  code.trim() !== '' ? code.trim() : power.trim() === '' ? '' : `${product.trim()}-${power.trim()}`;

const isFilled = ({ code, power }: ItemRow): boolean => code.trim() !== '' || power.trim() !== '';

export function CreateProduct({ onClose }: { onClose: () => void }) {
  const w = useWords(words);
  const c = useWords(common);
  const navigate = useNavigate();
  const save = useSend(
    ({ code, name, variants }: NewProduct) =>
      post('/products', {
        code: code.trim(),
        name: name.trim(),
        variants: variants.map((row) => ({ code: codeOfRow(code, row), power: row.power.trim() || null })),
      }),
    {
      refresh: ['/products'],
      failure: 'inline',
      done: ({ code }) => w.created(code),
      onDone: ({ code }) => {
        form.saved();
        void navigate(path`/products/${code}`);
      },
    },
  );
  const form = useForm(START, {
    error: save.error,
    check: ({ code, name, variants }) => ({
      ...(code.trim() === '' ? { code: c.required } : {}),
      ...(name.trim() === '' ? { name: c.required } : {}),
      ...(hasTwice(code, variants) ? { variants: w.twice } : {}),
    }),
  });
  const { code, variants } = form.values;
  const submit = form.submit((typed) => {
    // Remove empty rows, so that the indexes in errors of the API match the rows shown.
    const filled = typed.variants.filter(isFilled);
    form.set({ variants: filled });
    save.mutate({ ...typed, variants: filled });
  });
  return (
    <FormDialog
      form={form}
      size="lg"
      onClose={onClose}
      title={w.createTitle}
      onSubmit={submit}
      submit={c.create}
      isSending={save.isPending}
    >
      <TextInput
        label={w.code}
        description={w.codeHint}
        maxLength={CODE_CHARACTERS_MAX}
        data-autofocus
        {...form.text('code')}
      />
      <TextInput label={c.name} maxLength={PRODUCT_NAME_CHARACTERS_MAX} {...form.text('name')} />
      <ItemRows
        product={code}
        rows={variants}
        error={save.error}
        fault={form.error('variants')}
        onChange={(rows) => form.set({ variants: rows })}
      />
      <Problem error={save.error} except={[...form.names, ...fieldsOf(variants.length)]} />
    </FormDialog>
  );
}

interface ItemRowsProps {
  product: string;
  rows: ItemRow[];
  /** The error of the last attempt to save, with errors of single fields. */
  error: Error | null;
  fault: string | undefined;
  onChange: (rows: ItemRow[]) => void;
}

function ItemRows({ product, rows, error, fault, onChange }: ItemRowsProps) {
  const w = useWords(words);
  const c = useWords(common);
  const change = (at: number, part: Partial<ItemRow>) =>
    onChange(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  const add = () =>
    onChange([...rows, { id: Math.max(-1, ...rows.map(({ id }) => id)) + 1, code: '', power: '' }]);
  const said = (at: number, field: string) =>
    error instanceof ApiError ? error.fields[`variants.${at}.${field}`]?.[0] : undefined;
  return (
    <fieldset className="products-items">
      <legend>{c.items}</legend>
      <Text size="xs" c="dimmed" mb="xs">
        {w.itemsHint} {w.suggested}
      </Text>
      {rows.map((row, at) => (
        <div className="products-item" key={row.id}>
          <TextInput
            aria-label={w.itemCodeOf(at + 1)}
            placeholder={codeOfRow(product, { ...row, code: '' }) || w.itemCode}
            maxLength={CODE_CHARACTERS_MAX}
            value={row.code}
            error={said(at, 'code')}
            onChange={(event) => change(at, { code: event.currentTarget.value })}
          />
          <TextInput
            aria-label={w.powerOf(at + 1)}
            placeholder={c.power}
            maxLength={CODE_CHARACTERS_MAX}
            value={row.power}
            error={said(at, 'power')}
            onChange={(event) => change(at, { power: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            mt={4}
            aria-label={w.removeRow(at + 1)}
            onClick={() => onChange(rows.filter((one) => one !== row))}
          >
            <X size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      {fault !== undefined && (
        <Text size="xs" c="red" role="alert" mb={6}>
          {fault}
        </Text>
      )}
      <Button variant="subtle" size="compact-sm" leftSection={<Plus size={14} aria-hidden />} onClick={add}>
        {w.addRow}
      </Button>
    </fieldset>
  );
}

/** Names of the fields whose errors are shown in the rows. */
const fieldsOf = (rows: number): string[] =>
  Array.from({ length: rows }, (_, at) => [`variants.${at}.code`, `variants.${at}.power`]).flat();

function hasTwice(product: string, rows: ItemRow[]): boolean {
  const codes = rows.filter(isFilled).map((row) => codeOfRow(product, row));
  return new Set(codes).size < codes.length;
}
