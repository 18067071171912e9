// Details of the item: power, barcode, size, colour and other attributes; also archiving it.
import { Alert, Button, CloseButton, Divider, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { Archive, Plus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import {
  ATTRIBUTE_CHARACTERS_MAX,
  ATTRIBUTE_NAME_CHARACTERS_MAX,
  ATTRIBUTES_MAX,
  BARCODE_CHARACTERS_MAX,
  POWER_CHARACTERS_MAX,
} from '../../../../../src/platform/values/text-limits.ts';
import { apiPath } from '../../../api/address.ts';
import { ApiError, codeOf } from '../../../api/error.ts';
import { useSend } from '../../../api/query.ts';
import { get, patch } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { StockDetail } from '../../../api/types.ts';
import {
  confirm,
  NumberField,
  Problem,
  useForm,
  useNumberFault,
  wholeNumber,
} from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { STALE_PATHS } from '../../../components/stock-terms.ts';
import { words } from './words.ts';

const REFRESH = [...STALE_PATHS, '/variants', '/products'];

/** Attributes with their own field. The names are stored, so they are the same in every language. */
const KNOWN = ['size', 'colour'] as const;

interface Pair {
  name: string;
  text: string;
}

interface Values {
  power: string;
  barcode: string;
  size: string;
  colour: string;
  low_stock_at: string;
  others: Pair[];
}

const valuesOf = ({ power, barcode, attributes, low_stock_at }: StockDetail): Values => ({
  power: power ?? '',
  barcode: barcode ?? '',
  size: attributes['size'] ?? '',
  colour: attributes['colour'] ?? '',
  low_stock_at: String(low_stock_at ?? ''),
  others: Object.entries(attributes)
    .filter(([name]) => !KNOWN.some((known) => known === name))
    .map(([name, text]) => ({ name, text })),
});

const orNull = (text: string): string | null => (text.trim() === '' ? null : text.trim());

/** The attributes as they are stored; pairs without a name or a text are left out. */
const attributesOf = ({ size, colour, others }: Values): Record<string, string> =>
  Object.fromEntries(
    [{ name: 'size', text: size }, { name: 'colour', text: colour }, ...others]
      .map(({ name, text }) => [name.trim(), text.trim()] as const)
      .filter(([name, text]) => name !== '' && text !== ''),
  );

type Attributes = Record<string, string>;

/** Attributes are stored as a whole: applies what was typed to those that are stored now. */
function mergedInto(now: Attributes, before: Attributes, after: Attributes): Attributes {
  const untouched = Object.entries(now).filter(
    ([name]) => Object.hasOwn(after, name) || !Object.hasOwn(before, name),
  );
  const typed = Object.entries(after).filter(([name, text]) => before[name] !== text);
  return Object.fromEntries([...untouched, ...typed]);
}

export function Details({ item }: { item: StockDetail }) {
  const w = useWords(words);
  const canEdit = useCan('operator');
  return (
    <section aria-labelledby="details">
      <Title order={2} id="details" mb="xs">
        {w.details}
      </Title>
      <Stack gap="lg" maw={640}>
        <FactsForm item={item} canEdit={canEdit} />
        {canEdit && <ArchiveItem item={item} />}
      </Stack>
    </section>
  );
}

function FactsForm({ item, canEdit }: { item: StockDetail; canEdit: boolean }) {
  const w = useWords(words);
  const c = useWords(common);
  const faultOf = useNumberFault();
  const code = item.variant_code;
  const save = useSend(
    async ({ start, values }: { start: Values; values: Values }) => {
      const variant = apiPath('/variants/{code}', { code });
      const [before, after] = [attributesOf(start), attributesOf(values)];
      const isTyped = JSON.stringify(before) !== JSON.stringify(after);
      // Only what was changed here: another user may have changed the rest meanwhile.
      return patch(variant, {
        ...(values.power === start.power ? {} : { power: orNull(values.power) }),
        ...(values.barcode === start.barcode ? {} : { barcode: orNull(values.barcode) }),
        ...(values.low_stock_at === start.low_stock_at
          ? {}
          : { low_stock_at: wholeNumber(values.low_stock_at) }),
        ...(isTyped ? { attributes: mergedInto((await get(variant)).attributes, before, after) } : {}),
      });
    },
    {
      refresh: REFRESH,
      failure: 'inline',
      done: w.detailsSaved(code),
      onDone: (_now, { values }) => form.saved(values),
    },
  );
  const form = useForm<Values>(valuesOf(item), {
    error: save.error,
    check: ({ low_stock_at, others }) => {
      const fault = faultOf(low_stock_at);
      const names = [
        'size',
        'colour',
        ...others.map(({ name }) => name.trim()).filter((name) => name !== ''),
      ];
      return {
        ...(fault === undefined ? {} : { low_stock_at: fault }),
        ...(new Set(names).size < names.length ? { others: w.twice } : {}),
      };
    },
  });
  const stored = JSON.stringify(valuesOf(item));
  const seen = useRef(stored);
  useEffect(() => {
    if (seen.current === stored) return;
    seen.current = stored;
    // Saved by another user: shown immediately, unless the user is typing.
    if (!form.isDirty) form.reset(valuesOf(item));
  });
  const { others } = form.values;
  const taken = codeOf(save.error) === 'barcode_taken' ? holderOf(save.error) : null;
  const barcode = form.text('barcode');
  const readOnly = { readOnly: !canEdit };
  return (
    <form noValidate onSubmit={form.submit((values) => save.mutate({ start: form.start, values }))}>
      <Stack gap="sm">
        <TextInput
          label={w.barcode}
          {...(canEdit ? { description: w.barcodeHint } : {})}
          maxLength={BARCODE_CHARACTERS_MAX}
          autoComplete="off"
          spellCheck={false}
          classNames={{ input: 'mono' }}
          {...readOnly}
          {...barcode}
          error={taken === null ? barcode.error : w.barcodeTaken(taken)}
          onKeyDown={(event) => {
            // A scanner sends Enter, which must not submit the unfinished form.
            if (event.key === 'Enter') event.preventDefault();
          }}
        />
        <Group grow align="flex-start">
          <TextInput
            label={w.size}
            maxLength={ATTRIBUTE_CHARACTERS_MAX}
            {...readOnly}
            {...form.text('size')}
          />
          <TextInput
            label={w.colour}
            maxLength={ATTRIBUTE_CHARACTERS_MAX}
            {...readOnly}
            {...form.text('colour')}
          />
          <TextInput label={c.power} maxLength={POWER_CHARACTERS_MAX} {...readOnly} {...form.text('power')} />
        </Group>
        <NumberField
          label={w.lowStockAt}
          description={w.lowStockHint}
          {...readOnly}
          {...form.text('low_stock_at')}
        />
        <OtherAttributes pairs={others} canEdit={canEdit} onChange={(pairs) => form.set({ others: pairs })} />
        {form.error('others') !== undefined && (
          <Text size="sm" c="red" role="alert">
            {form.error('others')}
          </Text>
        )}
        {taken === null && <Problem error={save.error} except={form.names} />}
        {canEdit && (
          <Group>
            <Button type="submit" loading={save.isPending} disabled={!form.isDirty}>
              {c.save}
            </Button>
            <Button
              variant="default"
              leftSection={<Plus size={16} aria-hidden />}
              disabled={others.length >= ATTRIBUTES_MAX - KNOWN.length}
              onClick={() => form.set({ others: [...others, { name: '', text: '' }] })}
            >
              {w.addAttribute}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}

interface OtherAttributesProps {
  pairs: Pair[];
  canEdit: boolean;
  onChange: (pairs: Pair[]) => void;
}

function OtherAttributes({ pairs, canEdit, onChange }: OtherAttributesProps) {
  const w = useWords(words);
  const c = useWords(common);
  const change = (at: number, part: Partial<Pair>) =>
    onChange(pairs.map((pair, place) => (place === at ? { ...pair, ...part } : pair)));
  return (
    <>
      {(canEdit || pairs.length > 0) && <Divider label={w.otherAttributes} labelPosition="left" />}
      {pairs.map(({ name, text }, at) => (
        // Pairs have no key other than their index.
        // oxlint-disable-next-line react/no-array-index-key
        <div className="stock-item-attribute" key={at}>
          <TextInput
            aria-label={w.attributeName(at + 1)}
            placeholder={c.name}
            maxLength={ATTRIBUTE_NAME_CHARACTERS_MAX}
            value={name}
            readOnly={!canEdit}
            onChange={(event) => change(at, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={w.attributeText(at + 1)}
            placeholder={w.text}
            maxLength={ATTRIBUTE_CHARACTERS_MAX}
            value={text}
            readOnly={!canEdit}
            onChange={(event) => change(at, { text: event.currentTarget.value })}
          />
          {canEdit && (
            <CloseButton
              aria-label={w.removeAttribute(at + 1)}
              onClick={() => onChange(pairs.filter((_, place) => place !== at))}
            />
          )}
        </div>
      ))}
    </>
  );
}

const factsOf = (error: unknown): Record<string, unknown> => (error instanceof ApiError ? error.details : {});

const holderOf = (error: unknown): string => String(factsOf(error)['variant_code']);

function ArchiveItem({ item }: { item: StockDetail }) {
  const w = useWords(words);
  const format = useFormat();
  const code = item.variant_code;
  const [isAsked, setIsAsked] = useState(false);
  const save = useSend((archived: boolean) => patch(apiPath('/variants/{code}', { code }), { archived }), {
    refresh: REFRESH,
    failure: 'inline',
    done: (_now, archived) => (archived ? w.archivedNow(code) : w.isBack(code)),
  });
  const archive = async () => {
    setIsAsked(true);
    const question = { title: w.archiveTitle(code), text: w.archiveText, confirm: w.archive };
    if (await confirm(question)) save.mutate(true);
    setIsAsked(false);
  };
  const facts = factsOf(save.error);
  const uses = (
    [
      [facts['mapped'], w.useMapped],
      [facts['quantity'], w.useQuantity],
      [Number(facts['unshipped']) + Number(facts['backordered']), w.useOpen],
      [facts['allocated'], w.useAllocated],
    ] as const
  ).flatMap(([n, say]) => (Number(n) > 0 ? [say(format.integer(Number(n)))] : []));
  return (
    <Stack gap="xs">
      <Divider />
      <Text size="sm" c="dimmed">
        {w.archiveText}
      </Text>
      {codeOf(save.error) === 'variant_in_use' ? (
        <Alert color="orange" role="alert" p="sm">
          {w.inUse(uses.join(', '))}
        </Alert>
      ) : (
        <Problem error={save.error} />
      )}
      <Group>
        <Button
          variant="default"
          leftSection={<Archive size={16} aria-hidden />}
          loading={save.isPending}
          disabled={isAsked}
          onClick={() => (item.archived ? save.mutate(false) : void archive())}
        >
          {item.archived ? w.bringBack : w.archive}
        </Button>
      </Group>
    </Stack>
  );
}
