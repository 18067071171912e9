import { Alert, Button, CloseButton, FileButton, Group, Paper, Stack, Text, Textarea } from '@mantine/core';
import { CircleCheck, FileUp, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { post } from '../../api/request.ts';
import type { ChannelRef, MappingImport } from '../../api/types.ts';
import { Dialog, Problem, readTextFile, useUnsavedWarning } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { MAPPING_READERS } from './dialog.tsx';
import { ImportReport } from './import-report.tsx';
import { importWords } from './words.ts';

/** The service takes 8 MiB, quotes and line ends escaped; what comes near it is told here. */
const FILE_BYTES_MAX = 7_000_000;
const KILO = 1_000;

interface ChosenFile {
  name: string;
  bytes: number;
  text: string;
}

/** The report of a refused import comes with the refusal. */
function reportOf(error: unknown): MappingImport | null {
  if (!(error instanceof ApiError)) return null;
  return (error.body as { data?: MappingImport } | null)?.data ?? null;
}

interface ImportDialogProps {
  channel: ChannelRef;
  onClose: () => void;
}

/** Choose or paste, check, look, apply. */
export function ImportDialog({ channel, onClose }: ImportDialogProps) {
  const w = useWords(importWords);
  const c = useWords(common);
  const format = useFormat();
  const [pasted, setPasted] = useState('');
  const [file, setFile] = useState<ChosenFile | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const csv = file?.text ?? pasted;
  useUnsavedWarning(csv.trim() !== '');

  const send = (dry_run: boolean) =>
    post(apiPath('/channels/{id}/mappings/import', { id: channel.id }), { csv, dry_run });
  const check = useSend(() => send(true), { failure: 'inline' });
  const apply = useSend(() => send(false), {
    refresh: MAPPING_READERS,
    failure: 'inline',
    done: ({ created, replaced }) => w.done(format.integer(created + replaced), channel.name),
    onDone: onClose,
  });
  // What is checked is what stands there: another text, another check.
  const begin = () => {
    check.reset();
    apply.reset();
    setFault(null);
  };
  const choose = async (chosen: File | null) => {
    if (chosen === null) return;
    begin();
    if (chosen.size > FILE_BYTES_MAX) {
      setFault(w.tooLarge(format.integer(FILE_BYTES_MAX / KILO / KILO)));
      return;
    }
    const text = await readTextFile(chosen);
    if (text === null) setFault(w.unreadable);
    else setFile({ name: chosen.name, bytes: chosen.size, text });
  };

  const report = reportOf(apply.error) ?? check.data ?? null;
  const changes = report === null ? 0 : report.created + report.replaced;
  return (
    <Dialog isDirty={csv.trim() !== ''} size="xl" onClose={onClose} title={w.title(channel.name)}>
      <Stack gap="sm">
        {report === null ? (
          <Source
            file={file}
            pasted={pasted}
            onFile={(chosen) => void choose(chosen)}
            onRemove={() => setFile(null)}
            onPaste={(text) => {
              begin();
              setPasted(text);
            }}
          />
        ) : (
          <>
            <Verdict report={report} />
            <ImportReport report={report} />
          </>
        )}
        {fault !== null && <Problem error={new Error(fault)} />}
        <Problem error={check.error} />
        {reportOf(apply.error) === null && <Problem error={apply.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={report === null ? onClose : begin}>
            {report === null ? c.cancel : w.back}
          </Button>
          {report === null ? (
            <Button disabled={csv.trim() === ''} loading={check.isPending} onClick={() => check.mutate()}>
              {w.check}
            </Button>
          ) : (
            report.error_count === 0 &&
            changes > 0 && (
              <Button loading={apply.isPending} onClick={() => apply.mutate()}>
                {w.apply(format.integer(changes))}
              </Button>
            )
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}

interface SourceProps {
  file: ChosenFile | null;
  pasted: string;
  onFile: (file: File | null) => void;
  onRemove: () => void;
  onPaste: (text: string) => void;
}

function Source({ file, pasted, onFile, onRemove, onPaste }: SourceProps) {
  const w = useWords(importWords);
  const format = useFormat();
  const size = file && `${format.integer(Math.ceil(file.bytes / KILO))} kB`;
  return (
    <>
      <Text size="sm">{w.text}</Text>
      <Group gap="sm">
        <FileButton accept=".csv,text/csv,text/plain" onChange={onFile}>
          {(props) => (
            <Button variant="default" leftSection={<FileUp size={16} aria-hidden />} {...props}>
              {file === null ? w.chooseFile : w.otherFile}
            </Button>
          )}
        </FileButton>
        {file !== null && size !== null && (
          <Paper px="sm" py={4}>
            <Group gap="xs">
              <Text size="sm">{w.file(file.name, size)}</Text>
              <CloseButton size="sm" aria-label={w.removeFile} onClick={onRemove} />
            </Group>
          </Paper>
        )}
      </Group>
      {file === null && (
        <Textarea
          label={w.paste}
          placeholder={'sku,variant_code\nSHOP-001,ITEM-001'}
          rows={8}
          spellCheck={false}
          classNames={{ input: 'mono' }}
          value={pasted}
          onChange={(event) => onPaste(event.currentTarget.value)}
        />
      )}
    </>
  );
}

function Verdict({ report }: { report: MappingImport }) {
  const w = useWords(importWords);
  const isBad = report.error_count > 0;
  const text = isBad ? w.bad : report.created + report.replaced === 0 ? w.nothing : w.fine;
  const Icon = isBad ? TriangleAlert : CircleCheck;
  return (
    <Alert color={isBad ? 'red' : 'water'} icon={<Icon size={18} aria-hidden />} p="sm" role="status">
      {text}
    </Alert>
  );
}
