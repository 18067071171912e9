import { TextInput } from '@mantine/core';
import { CODE_CHARACTERS_MAX } from '../../../../src/platform/values/text-limits.ts';
import { useSend } from '../../api/query.ts';
import { ApiError } from '../../api/error.ts';
import { apiPath } from '../../api/address.ts';
import { post, put } from '../../api/request.ts';
import type { ChannelRef } from '../../api/types.ts';
import { confirm, Problem, toastGood, useForm, FormDialog } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { ItemSelect } from './item-select.tsx';
import { dialogWords } from './words.ts';

/** Prefixes of the API paths that a change of mappings makes stale. */
export const MAPPING_READERS = ['/channels', '/overview', '/stock', '/allocations', '/refusals'];

/** What to map: a known SKU, or '' if the user types it; `variant_code` null: not mapped yet. */
export interface Subject {
  channel: ChannelRef;
  sku: string;
  variant_code: string | null;
}

interface MappingForm {
  sku: string;
  variant_code: string | null;
}

/** The API names fields by their index in the list. */
const FIRST = 'mappings.0.';

async function inForm<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || !error.hasFields) throw error;
    const own = ([name, texts]: [string, string[]]) => [
      name.startsWith(FIRST) ? name.slice(FIRST.length) : name,
      texts,
    ];
    const errors = Object.fromEntries(Object.entries(error.fields).map(own)) as Record<string, string[]>;
    throw new ApiError(error.status, error.message, { errors });
  }
}

const field = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** The SKU's current item, if it would be replaced. A dry run matches exactly this SKU; a search would also match parts. */
async function replacedBy(channelId: number, sku: string, variant_code: string): Promise<string | null> {
  const { sample } = await post(apiPath('/channels/{id}/mappings/import', { id: channelId }), {
    csv: `sku,variant_code\n${field(sku)},${field(variant_code)}`,
    dry_run: true,
    as_written: true, // typed here, not saved by a spreadsheet
  });
  return sample[0]?.before ?? null;
}

export function MappingDialog({ subject, onClose }: { subject: Subject; onClose: () => void }) {
  const w = useWords(dialogWords);
  const c = useWords(common);
  const { channel } = subject;
  const isKnown = subject.sku !== '';
  const save = useSend(
    async ({ sku, variant_code }: { sku: string; variant_code: string }) => {
      const before = await replacedBy(channel.id, sku, variant_code);
      // Not shown when the dialog was opened, or mapped by another user meanwhile.
      if (before !== null && before !== subject.variant_code) {
        const question = {
          title: w.replaceTitle(sku),
          text: w.replaceText(sku, before, variant_code),
          confirm: w.replace,
        };
        if (!(await confirm(question))) return false;
      }
      await inForm(
        put(apiPath('/channels/{id}/mappings', { id: channel.id }), { mappings: [{ sku, variant_code }] }),
      );
      return true;
    },
    {
      refresh: MAPPING_READERS,
      failure: 'inline',
      onDone: (isSaved, { sku, variant_code }) => {
        if (!isSaved) return;
        toastGood(w.saved(sku, variant_code));
        onClose();
      },
    },
  );
  const form = useForm<MappingForm>(
    { sku: subject.sku, variant_code: subject.variant_code },
    {
      error: save.error,
      check: ({ sku, variant_code }) => ({
        ...(sku.trim() === '' ? { sku: c.required } : {}),
        ...(variant_code === null ? { variant_code: c.required } : {}),
      }),
    },
  );
  const send = ({ sku, variant_code }: MappingForm) =>
    save.mutate({ sku: isKnown ? sku : sku.trim(), variant_code: variant_code ?? '' });
  return (
    <FormDialog
      form={form}
      onClose={onClose}
      title={subject.variant_code === null ? w.addTitle : w.changeTitle(subject.sku)}
      onSubmit={form.submit(send)}
      submit={c.save}
      isSending={save.isPending}
    >
      <TextInput label={c.channel} value={channel.name} readOnly />
      <TextInput
        label={c.sku}
        {...(isKnown ? {} : { description: w.skuHint })}
        maxLength={CODE_CHARACTERS_MAX}
        readOnly={isKnown}
        autoComplete="off"
        spellCheck={false}
        {...(isKnown ? {} : { 'data-autofocus': true })}
        {...form.text('sku')}
      />
      <ItemSelect autoFocus={isKnown} {...form.choice('variant_code')} />
      <Problem error={save.error} except={form.names} />
    </FormDialog>
  );
}
