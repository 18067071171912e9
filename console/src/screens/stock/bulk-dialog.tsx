// A delivery or a count of many items: paste or choose a file, review before and after, save all rows or none.
import { Button, Group, SegmentedControl, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { REASON_CHARACTERS_MAX } from '../../../../src/platform/values/text-limits.ts';
import { apiPath } from '../../api/address.ts';
import { ApiError } from '../../api/error.ts';
import { useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import {
  Dialog,
  DialogButtons,
  FileChoice,
  Problem,
  useForm,
  useTextFile,
  type Form,
  type TextFile,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { AsWritten, reportOf, Verdict } from '../../components/file-report.tsx';
import { reportWords } from '../../components/file-report-words.ts';
import { useMayOvercommit } from './bulk-overcommitting.tsx';
import { BulkReport } from './bulk-report.tsx';
import { CountedAtField, useCountedAt } from './counted-at.tsx';
import { pastedList } from './pasted.ts';
import { STALE_PATHS } from '../../components/stock-terms.ts';
import { undoReason } from './item/opposite.ts';
import { words as itemWords } from './item/words.ts';
import { bulkWords } from './words.ts';

/** The service accepts 4 MiB, escaped as JSON. */
const FILE_BYTES_MAX = 3_000_000;

type Mode = 'add' | 'set';

interface Values {
  /** After a check: values that look like mistakes are right. */
  as_written: boolean;
  mode: Mode;
  pasted: string;
  file: TextFile | null;
  counted_at: string;
  reason: string;
}

export default function BulkDialog({ mode: first, onClose }: { mode: Mode; onClose: () => void }) {
  const w = useWords(bulkWords);
  const r = useWords(reportWords);
  const item = useWords(itemWords);
  const c = useWords(common);
  const format = useFormat();
  const countedAt = useCountedAt();
  const send = ({ as_written, mode, pasted, file, counted_at, reason }: Values, dry_run: boolean) =>
    post('/stock/import', {
      csv: pastedList(file?.text ?? pasted).csv,
      mode,
      reason: reason.trim(),
      ...(mode === 'set' ? countedAt.sent(counted_at) : {}),
      dry_run,
      as_written,
    });
  const takeBack = (import_id: number, reason: string) =>
    post(apiPath('/stock/imports/{import_id}/undo', { import_id }), {
      reason: undoReason(item.undoReason(reason.trim())),
    });
  const check = useSend((values: Values) => send(values, true), { failure: 'inline' });
  const apply = useSend((values: Values) => send(values, false), {
    refresh: [...STALE_PATHS, '/variants'],
    failure: 'inline',
    done: ({ count }) => w.done(format.integer(count)),
    undo: ({ import_id = null }, { reason }) =>
      import_id === null ? null : () => takeBack(import_id, reason),
    onDone: () => {
      form.saved();
      onClose();
    },
  });
  const form = useForm<Values>(
    { as_written: false, mode: first, pasted: '', file: null, counted_at: '', reason: '' },
    {
      error: check.error,
      check: ({ mode, pasted, file, counted_at, reason }) => ({
        ...((file?.text ?? pasted).trim() === '' ? { pasted: c.required } : {}),
        ...(reason.trim() === '' ? { reason: c.required } : {}),
        ...(mode === 'set' ? countedAt.fault(counted_at) : {}),
      }),
    },
  );
  const { values } = form;
  const reverse = useSend((import_id: number) => takeBack(import_id, values.reason), {
    refresh: [...STALE_PATHS, '/variants'],
    failure: 'inline',
    done: w.reversed,
    onDone: () => back(),
  });
  const chosen = useTextFile((file) => form.set({ file }), {
    bytes: FILE_BYTES_MAX,
    text: w.tooLarge,
  });
  const { report, failure } = reportOf(check, apply);
  const isBad = report !== null && report.problem_count > 0;
  const isChange = report?.rows?.some(({ before, after }) => before !== after) ?? false;
  const verdict =
    !isBad && report?.count === 0
      ? { isBad: true, text: r.noRows }
      : { isBad, text: isBad ? w.bad : isChange ? w.fine : w.nothing };
  const mayOvercommit = useMayOvercommit();
  const save = async () => {
    if (await mayOvercommit(report?.rows ?? [])) apply.mutate(values);
  };
  const takeAsWritten = () => {
    form.set({ as_written: true });
    apply.reset();
    check.mutate({ ...values, as_written: true });
  };
  const back = () => {
    form.set({ as_written: false });
    check.reset();
    apply.reset();
  };
  const interrupted = interruptedImport(apply.error);
  const added = pastedList(values.file?.text ?? values.pasted).linesAdded;
  return (
    <Dialog
      isDirty={form.isDirty}
      size="xl"
      onClose={onClose}
      title={values.mode === 'add' ? w.delivery : w.count}
    >
      {report === null ? (
        <BulkForm form={form} check={check} chosen={chosen} onClose={onClose} />
      ) : (
        <Stack gap="sm">
          {/* It is about the check, before a part was saved. */}
          {interrupted === null && <Verdict {...verdict} />}
          <BulkReport report={report} linesAdded={added} isCount={values.mode === 'set'} />
          <AsWritten faults={report.problems} isChecking={check.isPending} onTake={takeAsWritten} />
          <Problem error={reverse.error ?? failure} />
          <Group justify="flex-end">
            {interrupted === null && (
              <Button variant="default" onClick={back} data-autofocus>
                {c.back}
              </Button>
            )}
            {interrupted !== null && (
              <Button loading={reverse.isPending} onClick={() => reverse.mutate(interrupted)}>
                {w.reverse}
              </Button>
            )}
            {interrupted === null && !isBad && report.count > 0 && (
              <Button loading={apply.isPending} onClick={() => void save()}>
                {w.apply(format.integer(report.count))}
              </Button>
            )}
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

/** The id of an import that was interrupted after some of its parts. */
function interruptedImport(error: unknown): number | null {
  if (!(error instanceof ApiError) || error.code !== 'import_interrupted') return null;
  const { import_id } = error.details;
  return typeof import_id === 'number' ? import_id : null;
}

interface BulkFormProps {
  form: Form<Values>;
  check: { mutate: (values: Values) => void; error: Error | null; isPending: boolean };
  chosen: ReturnType<typeof useTextFile>;
  onClose: () => void;
}

function BulkForm({ form, check, chosen: { fault, choose }, onClose }: BulkFormProps) {
  const w = useWords(bulkWords);
  const c = useWords(common);
  const { values } = form;
  return (
    <form noValidate onSubmit={form.submit((typed) => check.mutate(typed))}>
      <Stack gap="sm">
        <SegmentedControl
          aria-label={w.mode}
          value={values.mode}
          onChange={(mode) => form.set({ mode: mode === 'add' ? 'add' : 'set' })}
          data={[
            { value: 'add', label: w.delivery },
            { value: 'set', label: w.count },
          ]}
        />
        <Text size="sm">{values.mode === 'add' ? w.deliveryText : w.countText}</Text>
        <FileChoice file={values.file} onChoose={choose} onRemove={() => form.set({ file: null })} />
        {values.file === null && (
          <Textarea
            label={w.paste}
            description={w.pasteHint}
            placeholder={'ITEM-001,20\nITEM-002,5'}
            rows={8}
            spellCheck={false}
            data-autofocus
            classNames={{ input: 'mono' }}
            {...form.text('pasted')}
          />
        )}
        {values.mode === 'set' && <CountedAtField {...form.text('counted_at')} />}
        <TextInput
          label={c.reason}
          description={w.reasonHint}
          maxLength={REASON_CHARACTERS_MAX}
          {...form.text('reason')}
        />
        {fault !== null && <Problem error={new Error(fault)} />}
        <Problem error={check.error} except={form.names} />
        <DialogButtons submit={w.preview} isSending={check.isPending} onClose={onClose} />
      </Stack>
    </form>
  );
}
