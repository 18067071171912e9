import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { post } from '../../api/request.ts';
import type { ChannelRef } from '../../api/types.ts';
import {
  Dialog,
  FileChoice,
  Problem,
  useTextFile,
  useUnsavedWarning,
  type TextFile,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { MAPPING_READERS } from './dialog.tsx';
import { AsWritten, reportOf, Verdict } from '../../components/file-report.tsx';
import { ImportReport } from './import-report.tsx';
import { reportWords } from '../../components/file-report-words.ts';
import { importWords } from './words.ts';

/** The service accepts 8 MiB, counted with quotes and line ends escaped; larger files are refused before sending. */
const FILE_BYTES_MAX = 7_000_000;

interface ImportDialogProps {
  channel: ChannelRef;
  onClose: () => void;
}

/** Choose a file or paste text, check it, review the report, apply. */
export function ImportDialog({ channel, onClose }: ImportDialogProps) {
  const w = useWords(importWords);
  const r = useWords(reportWords);
  const c = useWords(common);
  const format = useFormat();
  const [pasted, setPasted] = useState('');
  const [file, setFile] = useState<TextFile | null>(null);
  const { fault, clearFault, choose } = useTextFile(setFile, { bytes: FILE_BYTES_MAX, text: w.tooLarge });
  const csv = file?.text ?? pasted;
  useUnsavedWarning(csv.trim() !== '');

  const send = (as_written: boolean, dry_run: boolean) =>
    post(apiPath('/channels/{id}/mappings/import', { id: channel.id }), { csv, dry_run, as_written });
  const check = useSend((as_written: boolean) => send(as_written, true), { failure: 'inline' });
  const apply = useSend((as_written: boolean) => send(as_written, false), {
    refresh: MAPPING_READERS,
    failure: 'inline',
    done: ({ created, replaced }) => w.done(format.integer(created + replaced), channel.name),
    onDone: onClose,
  });
  // A report is valid only for the checked text: new text needs a new check.
  const begin = () => {
    check.reset();
    apply.reset();
    clearFault();
  };
  const { report, failure } = reportOf(check, apply);
  const changes = report === null ? 0 : report.created + report.replaced;
  return (
    <Dialog isDirty={csv.trim() !== ''} size="xl" onClose={onClose} title={w.title(channel.name)}>
      <Stack gap="sm">
        {report === null ? (
          <>
            <Text size="sm">{w.text}</Text>
            <FileChoice
              file={file}
              onChoose={(chosen) => {
                begin();
                choose(chosen);
              }}
              onRemove={() => setFile(null)}
            />
            {file === null && (
              <Textarea
                label={w.paste}
                placeholder={'sku,variant_code\nSHOP-001,ITEM-001'}
                rows={8}
                spellCheck={false}
                classNames={{ input: 'mono' }}
                value={pasted}
                onChange={({ currentTarget }) => {
                  begin();
                  setPasted(currentTarget.value);
                }}
              />
            )}
          </>
        ) : (
          <>
            {report.error_count === 0 && report.rows === 0 ? (
              <Verdict isBad text={r.noRows} />
            ) : (
              <Verdict
                isBad={report.error_count > 0}
                text={report.error_count > 0 ? w.bad : changes === 0 ? w.nothing : w.fine}
              />
            )}
            <ImportReport report={report} />
            <AsWritten
              faults={report.errors}
              isChecking={check.isPending}
              onTake={() => {
                begin();
                check.mutate(true);
              }}
            />
          </>
        )}
        {fault !== null && <Problem error={new Error(fault)} />}
        <Problem error={check.error} />
        <Problem error={failure} />
        <Group justify="flex-end">
          <Button variant="default" onClick={report === null ? onClose : begin}>
            {report === null ? c.cancel : c.back}
          </Button>
          {report === null ? (
            <Button
              disabled={csv.trim() === ''}
              loading={check.isPending}
              onClick={() => check.mutate(false)}
            >
              {w.check}
            </Button>
          ) : (
            report.error_count === 0 &&
            changes > 0 && (
              <Button loading={apply.isPending} onClick={() => apply.mutate(check.variables ?? false)}>
                {w.apply(format.integer(changes))}
              </Button>
            )
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
