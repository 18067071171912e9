// Allocations from a CSV file: what it would lead to, then all of it or nothing.
import { Button, FileButton, Group, Stack, Text, Textarea } from '@mantine/core';
import { FileUp } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../../api/error.ts';
import { useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import type { AllocationImport } from '../../api/types.ts';
import { Dialog, Problem, readTextFile, useUnsavedWarning } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { Faults } from '../mappings/file-report.tsx';
import { STALE_PATHS } from '../stock/terms.ts';
import { Results } from './results.tsx';
import { words } from './words.ts';

interface CsvProps {
  nameOf: (channelId: number) => string;
  onClose: () => void;
}

/** The report of a refused import comes with the refusal. */
const reportOf = (error: unknown): AllocationImport | null =>
  error instanceof ApiError ? ((error.body as { data?: AllocationImport } | null)?.data ?? null) : null;

export default function CsvDialog({ nameOf, onClose }: CsvProps) {
  const w = useWords(words);
  const c = useWords(common);
  const format = useFormat();
  const [csv, setCsv] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const release = useUnsavedWarning(csv.trim() !== '');
  const check = useSend(() => post('/allocations/import', { csv, dry_run: true }), { failure: 'inline' });
  const apply = useSend(() => post('/allocations/import', { csv }), {
    refresh: STALE_PATHS,
    failure: 'inline',
    done: ({ count }) => w.saved(count),
    onDone: () => {
      release();
      onClose();
    },
  });
  const choose = async (file: File | null) => {
    if (file === null) return;
    const text = await readTextFile(file);
    setFault(text === null ? w.unreadable : null);
    if (text !== null) setCsv(text);
  };
  const report = reportOf(apply.error) ?? check.data ?? null;
  const isOver = report?.rows.some(({ overcommitted_by }) => overcommitted_by > 0) ?? false;
  return (
    <Dialog isDirty={csv.trim() !== ''} size="xl" onClose={onClose} title={w.csvTitle}>
      <Stack gap="sm">
        {report === null ? (
          <>
            <Text size="sm">{w.csvText}</Text>
            <Group>
              <FileButton accept=".csv,text/csv,text/plain" onChange={(file) => void choose(file)}>
                {(props) => (
                  <Button variant="default" leftSection={<FileUp size={16} aria-hidden />} {...props}>
                    {w.chooseFile}
                  </Button>
                )}
              </FileButton>
            </Group>
            <Textarea
              label={w.csvPaste}
              placeholder={'channel_id,variant_code,allocated_qty,reserve_quota\n1,ITEM-001,20,0'}
              rows={8}
              spellCheck={false}
              data-autofocus
              classNames={{ input: 'mono' }}
              value={csv}
              onChange={({ currentTarget }) => setCsv(currentTarget.value)}
            />
          </>
        ) : report.problem_count > 0 ? (
          <>
            <Text size="sm" role="alert">
              {w.csvBad(report.problem_count)}
            </Text>
            <Faults
              faults={report.problems.map((problem) => ({ ...problem, message: problem.text }))}
              count={report.problem_count}
            />
          </>
        ) : (
          <Results results={report.rows} nameOf={nameOf} />
        )}
        {fault !== null && <Problem error={new Error(fault)} />}
        <Problem error={check.error} />
        {reportOf(apply.error) === null && <Problem error={apply.error} />}
        <Group justify="flex-end">
          <Button
            variant="default"
            onClick={() => {
              if (report === null) onClose();
              check.reset();
              apply.reset();
            }}
          >
            {report === null ? c.cancel : c.back}
          </Button>
          {report === null ? (
            <Button disabled={csv.trim() === ''} loading={check.isPending} onClick={() => check.mutate()}>
              {w.preview}
            </Button>
          ) : (
            report.count > 0 && (
              <Button
                loading={apply.isPending}
                onClick={() => apply.mutate()}
                {...(isOver ? { color: 'orange' } : {})}
              >
                {isOver ? w.overcommitSave : w.saveRows(format.integer(report.count))}
              </Button>
            )
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
