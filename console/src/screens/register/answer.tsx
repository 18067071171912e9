import { Alert, Badge, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useMemo } from 'react';
import type { Violation } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import { Options } from './options.tsx';
import { anchorOf, rowsOf, type OptionRow } from './rows.ts';
import type { InquiryAnswer } from './use-inquiry.ts';
import { words } from './words.ts';

const LINKS_MAX = 5;

interface AnswerProps {
  answer: InquiryAnswer;
  picked: ReadonlySet<string>;
  onPick: (codes: Set<string>) => void;
}

/** The channel's answer: name, kind, options; above them the faults, with links to the rows. */
export function Answer({ answer, picked, onPick }: AnswerProps) {
  const w = useWords(words);
  const { info } = answer;
  const rows = useMemo(() => rowsOf(info), [info]);
  const hidden = info.skus.filter((sku) => sku.hidden).length;
  return (
    <section aria-labelledby="answer">
      <Stack gap="sm">
        <Paper>
          <Text size="xs" c="dimmed" id="answer">
            {w.answerOf(answer.channel.name)} · <span className="mono">{info.product_code}</span>
          </Text>
          <Title order={2} mt={2}>
            {info.goods_name?.trim() ? info.goods_name : w.noName}
          </Title>
          <Group gap="xs" mt="xs">
            <Badge color={info.is_set ? 'violet' : 'blue'}>{info.is_set ? w.isSet : w.isSingle}</Badge>
            {info.groups.some((group) => group !== '') && (
              <Badge color="gray">{w.groups(info.groups.join(', '))}</Badge>
            )}
            <Badge color="gray">{w.optionCount(info.options.length)}</Badge>
            {info.errors.length === 0 && <Badge color="gray">{w.skuCount(info.skus.length)}</Badge>}
            {hidden > 0 && <Badge color="gray">{w.hiddenCount(hidden)}</Badge>}
          </Group>
          {(info.is_set || hidden > 0) && info.errors.length === 0 && (
            <Text size="sm" c="dimmed" mt="xs">
              {[info.is_set && w.setHint, hidden > 0 && w.hiddenHint].filter(Boolean).join(' ')}
            </Text>
          )}
        </Paper>
        {info.errors.length > 0 && <Faults violations={info.violations} errors={info.errors} rows={rows} />}
        {rows.length > 0 && <Options info={info} rows={rows} picked={picked} onPick={onPick} />}
      </Stack>
    </section>
  );
}

interface FaultsProps {
  violations: Violation[];
  errors: string[];
  rows: OptionRow[];
}

function Faults({ violations, errors, rows }: FaultsProps) {
  const w = useWords(words);
  return (
    <Alert
      color="red"
      role="alert"
      title={w.problems(errors.length)}
      icon={<TriangleAlert size={18} aria-hidden />}
    >
      <ul className="register-faults">
        {violations.map((violation) => (
          <li key={violation.message}>
            {w.violation(violation)} <RowLinks of={violation} rows={rows} />
          </li>
        ))}
      </ul>
      <Text size="sm">{w.problemsDo}</Text>
    </Alert>
  );
}

function RowLinks({ of, rows }: { of: Violation; rows: OptionRow[] }) {
  const w = useWords(words);
  const there = rows.filter(({ violations }) => violations.includes(of));
  const more = there.length - LINKS_MAX;
  return (
    <>
      {there.slice(0, LINKS_MAX).map((row) => (
        <a
          key={row.key}
          href={`#${anchorOf(row)}`}
          className="register-link"
          onClick={(event) => {
            event.preventDefault();
            show(anchorOf(row));
          }}
        >
          {w.goTo(row.power || (row.sku?.option_code ?? w.noPower))}
        </a>
      ))}
      {more > 0 && w.moreRows(more)}
    </>
  );
}

function show(id: string): void {
  const row = document.querySelector<HTMLElement>(`#${CSS.escape(id)}`);
  row?.scrollIntoView({ block: 'center' });
  row?.focus({ preventScroll: true });
}
