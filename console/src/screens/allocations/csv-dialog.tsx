// Allocations from a CSV file: preview the effect, then save all rows or none.
import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useState } from 'react';
import { useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import { Dialog, FileChoice, Problem, useTextFile, useUnsavedWarning } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { AsWritten, Faults, reportOf, Verdict } from '../../components/file-report.tsx';
import { reportWords } from '../../components/file-report-words.ts';
import { STALE_PATHS } from '../../components/stock-terms.ts';
import { Results } from './results.tsx';
import { words } from './words.ts';

interface CsvProps {
  nameOf: (channelId: number) => string;
  onClose: () => void;
}

export default function CsvDialog({ nameOf, onClose }: CsvProps) {
  const w = useWords(words);
  const r = useWords(reportWords);
  const c = useWords(common);
  const format = useFormat();
  const [csv, setCsv] = useState('');
  const { fault, choose } = useTextFile(({ text }) => setCsv(text));
  const release = useUnsavedWarning(csv.trim() !== '');
  const send = (as_written: boolean, dry_run: boolean) =>
    post('/allocations/import', { csv, dry_run, as_written });
  const check = useSend((as_written: boolean) => send(as_written, true), { failure: 'inline' });
  const apply = useSend((as_written: boolean) => send(as_written, false), {
    refresh: STALE_PATHS,
    failure: 'inline',
    done: ({ count }) => w.saved(count),
    onDone: () => {
      release();
      onClose();
    },
  });
  const { report, failure } = reportOf(check, apply);
  const isOver = report?.rows.some(({ overcommitted_by }) => overcommitted_by > 0) ?? false;
  return (
    <Dialog isDirty={csv.trim() !== ''} size="xl" onClose={onClose} title={w.csvTitle}>
      <Stack gap="sm">
        {report === null ? (
          <>
            <Text size="sm">{w.csvText}</Text>
            <FileChoice onChoose={choose} />
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
            <AsWritten
              faults={report.problems}
              isChecking={check.isPending}
              onTake={() => {
                apply.reset();
                check.mutate(true);
              }}
            />
          </>
        ) : report.rows.length === 0 ? (
          <Verdict isBad text={r.noRows} />
        ) : (
          <Results results={report.rows} nameOf={nameOf} />
        )}
        {fault !== null && <Problem error={new Error(fault)} />}
        <Problem error={check.error} />
        <Problem error={failure} />
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
            <Button
              disabled={csv.trim() === ''}
              loading={check.isPending}
              onClick={() => check.mutate(false)}
            >
              {w.preview}
            </Button>
          ) : (
            report.count > 0 && (
              <Button
                loading={apply.isPending}
                onClick={() => apply.mutate(check.variables ?? false)}
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
