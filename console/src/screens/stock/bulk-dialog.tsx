// A delivery or a count of many items: paste or choose a file, look at before and after, save all or nothing.
import {
  Alert,
  Button,
  CloseButton,
  FileButton,
  Group,
  Paper,
  SegmentedControl,
  Stack,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core';
import { CircleCheck, FileUp, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { REASON_CHARACTERS_MAX } from '../../../../src/domain/text-limits.ts';
import { apiPath } from '../../api/address.ts';
import { ApiError } from '../../api/error.ts';
import { useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import type { StockImport } from '../../api/types.ts';
import { Dialog, Problem, readTextFile, useForm } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { BulkReport } from './bulk-report.tsx';
import { CountedAtField, useCountedAt } from './counted-at.tsx';
import { pastedList } from './pasted.ts';
import { STALE_PATHS } from './terms.ts';
import { undoReason } from '../stock-item/opposite.ts';
import { words as itemWords } from '../stock-item/words.ts';
import { bulkWords } from './words.ts';

/** The service takes 4 MiB, escaped as JSON. */
const FILE_BYTES_MAX = 3_000_000;
const KILO = 1_000;

type Mode = 'add' | 'set';

interface ChosenFile {
  name: string;
  bytes: number;
  text: string;
}

interface Values {
  mode: Mode;
  pasted: string;
  file: ChosenFile | null;
  counted_at: string;
  reason: string;
}

/** The report of a refused import comes with the refusal. */
function reportOf(error: unknown): StockImport | null {
  if (!(error instanceof ApiError)) return null;
  return (error.body as { data?: StockImport } | null)?.data ?? null;
}

export default function BulkDialog({ mode: first, onClose }: { mode: Mode; onClose: () => void }) {
  const w = useWords(bulkWords);
  const item = useWords(itemWords);
  const c = useWords(common);
  const format = useFormat();
  const countedAt = useCountedAt();
  const send = ({ mode, pasted, file, counted_at, reason }: Values, dry_run: boolean) =>
    post('/stock/import', {
      csv: pastedList(file?.text ?? pasted).csv,
      mode,
      reason: reason.trim(),
      ...(mode === 'set' ? countedAt.sent(counted_at) : {}),
      dry_run,
    });
  const check = useSend((values: Values) => send(values, true), { failure: 'inline' });
  const apply = useSend((values: Values) => send(values, false), {
    refresh: [...STALE_PATHS, '/variants'],
    failure: 'inline',
    done: ({ count }) => w.done(format.integer(count)),
    undo: ({ import_id = null }, { reason }) =>
      import_id === null
        ? null
        : () =>
            post(apiPath('/stock/imports/{import_id}/undo', { import_id }), {
              reason: undoReason(item.undoReason(reason.trim())),
            }),
    onDone: () => {
      form.saved();
      onClose();
    },
  });
  const form = useForm<Values>(
    { mode: first, pasted: '', file: null, counted_at: '', reason: '' },
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
  const [fault, setFault] = useState<string | null>(null);
  const choose = async (chosen: File | null) => {
    if (chosen === null) return;
    setFault(null);
    if (chosen.size > FILE_BYTES_MAX) {
      setFault(w.tooLarge(format.integer(FILE_BYTES_MAX / KILO / KILO)));
      return;
    }
    const text = await readTextFile(chosen);
    if (text === null) setFault(w.unreadable);
    else form.set({ file: { name: chosen.name, bytes: chosen.size, text } });
  };
  const report = reportOf(apply.error) ?? check.data ?? null;
  const isChange = report?.rows?.some(({ before, after }) => before !== after) ?? false;
  const back = () => {
    check.reset();
    apply.reset();
  };
  const added = pastedList(values.file?.text ?? values.pasted).linesAdded;
  return (
    <Dialog
      isDirty={form.isDirty}
      size="xl"
      onClose={onClose}
      title={values.mode === 'add' ? w.delivery : w.count}
    >
      {report === null ? (
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
            <Source
              file={values.file}
              onFile={(chosen) => void choose(chosen)}
              onRemove={() => form.set({ file: null })}
            />
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
              label={w.reason}
              description={w.reasonHint}
              maxLength={REASON_CHARACTERS_MAX}
              {...form.text('reason')}
            />
            {fault !== null && <Problem error={new Error(fault)} />}
            <Problem error={check.error} except={form.names} />
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                {c.cancel}
              </Button>
              <Button type="submit" loading={check.isPending}>
                {w.preview}
              </Button>
            </Group>
          </Stack>
        </form>
      ) : (
        <Stack gap="sm">
          <Verdict report={report} isChange={isChange} />
          <BulkReport report={report} linesAdded={added} isCount={values.mode === 'set'} />
          {reportOf(apply.error) === null && <Problem error={apply.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={back} data-autofocus>
              {w.back}
            </Button>
            {report.problem_count === 0 && report.count > 0 && (
              <Button loading={apply.isPending} onClick={() => apply.mutate(values)}>
                {w.apply(format.integer(report.count))}
              </Button>
            )}
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}

interface SourceProps {
  file: ChosenFile | null;
  onFile: (file: File | null) => void;
  onRemove: () => void;
}

function Source({ file, onFile, onRemove }: SourceProps) {
  const w = useWords(bulkWords);
  const format = useFormat();
  return (
    <Group gap="sm">
      <FileButton accept=".csv,.tsv,.txt,text/csv,text/plain" onChange={onFile}>
        {(props) => (
          <Button variant="default" leftSection={<FileUp size={16} aria-hidden />} {...props}>
            {file === null ? w.chooseFile : w.otherFile}
          </Button>
        )}
      </FileButton>
      {file !== null && (
        <Paper px="sm" py={4}>
          <Group gap="xs">
            <Text size="sm">{w.file(file.name, `${format.integer(Math.ceil(file.bytes / KILO))} kB`)}</Text>
            <CloseButton size="sm" aria-label={w.removeFile} onClick={onRemove} />
          </Group>
        </Paper>
      )}
    </Group>
  );
}

function Verdict({ report, isChange }: { report: StockImport; isChange: boolean }) {
  const w = useWords(bulkWords);
  const isBad = report.problem_count > 0;
  const text = isBad ? w.bad : isChange ? w.fine : w.nothing;
  const Icon = isBad ? TriangleAlert : CircleCheck;
  return (
    <Alert color={isBad ? 'red' : 'water'} icon={<Icon size={18} aria-hidden />} p="sm" role="status">
      {text}
    </Alert>
  );
}
