// The source of exchange rates: the last run, rates that wait for a decision, and the settings.
import { Alert, Badge, Button, Group, Stack, Text } from '@mantine/core';
import { CircleAlert, RefreshCw, Settings2, TriangleAlert } from 'lucide-react';
import { useState } from 'react';
import { isRateJump } from '../../../../src/core/rules/exchange-rate.ts';
import { decimal } from '../../../../src/platform/values/money.ts';
import { apiPath } from '../../api/address.ts';
import { useGet, useSend } from '../../api/query.ts';
import { post } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { CurrentRates, RateSource, RateSourceRun, WaitingRate } from '../../api/types.ts';
import { ActorName, DataTable, Reading, Section, Time, type Column } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { useAskRate } from './ask-rate.ts';
import { SourceDialog } from './source-dialog.tsx';
import { useFailureText } from './source-failure.ts';
import { kindWords, outcomeWords, ranWords, sourceWords } from './source-words.ts';

const TOUCHED = ['/exchange-rate-source', '/exchange-rates', '/channels', '/overview', '/audit'];
const COLORS: Record<RateSourceRun['outcome'], string> = {
  collected: 'water',
  unchanged: 'gray',
  waiting: 'orange',
  failed: 'red',
};

type Rates = CurrentRates['rates'];

export function Source({ rates }: { rates: Rates }) {
  const query = useGet('/exchange-rate-source');
  return <Reading query={query}>{(source) => <Panel source={source} rates={rates} />}</Reading>;
}

function Panel({ source, rates }: { source: RateSource; rates: Rates }) {
  const w = useWords(sourceWords);
  const kinds = useWords(kindWords);
  const ran = useWords(ranWords);
  const isAdmin = useCan('admin');
  const canRun = useCan('operator');
  const [isEditing, setEditing] = useState(false);
  const run = useSend(() => post('/exchange-rate-source/run'), {
    refresh: TOUCHED,
    done: ({ last_run }) => (last_run === null ? '' : ran[last_run.outcome]),
  });
  const isOn = source.kind !== 'none';
  return (
    <Section
      id="rate-source"
      title={w.title}
      text={isOn ? w.summary(kinds[source.kind], source.currencies.join(', ')) : w.off}
      action={
        <Group gap="xs">
          {isOn && canRun && (
            <Button
              variant="default"
              loading={run.isPending}
              leftSection={<RefreshCw size={16} aria-hidden />}
              onClick={() => run.mutate()}
            >
              {w.run}
            </Button>
          )}
          {isAdmin && (
            <Button
              variant="default"
              leftSection={<Settings2 size={16} aria-hidden />}
              onClick={() => setEditing(true)}
            >
              {isOn ? w.change : w.choose}
            </Button>
          )}
        </Group>
      }
      mb="lg"
    >
      <Stack gap="sm">
        {source.waiting.map((waiting) => (
          <Waiting key={waiting.currency_code} waiting={waiting} rates={rates} />
        ))}
        {source.last_run?.outcome === 'failed' && isOn && <Failed run={source.last_run} />}
        {isOn && source.last_run !== null && source.last_run.missing.length > 0 && (
          <Alert color="yellow" icon={<TriangleAlert size={18} aria-hidden />}>
            {w.missing(source.last_run.missing.join(', '))}
          </Alert>
        )}
        {isOn && source.next_run_at !== null && (
          <Text size="sm" c="dimmed">
            {w.next} <Time at={source.next_run_at} />
          </Text>
        )}
        {source.runs.length > 0 && <Runs runs={source.runs} />}
      </Stack>
      {isEditing && <SourceDialog source={source} touched={TOUCHED} onClose={() => setEditing(false)} />}
    </Section>
  );
}

function Failed({ run }: { run: RateSourceRun }) {
  const w = useWords(sourceWords);
  const failureText = useFailureText();
  return (
    <Alert color="red" icon={<CircleAlert size={18} aria-hidden />} title={w.failedTitle}>
      {failureText(run)} {w.failedText}
    </Alert>
  );
}

function Waiting({ waiting, rates }: { waiting: WaitingRate; rates: Rates }) {
  const w = useWords(sourceWords);
  const format = useFormat();
  const canDecide = useCan('operator');
  const askRate = useAskRate();
  const { currency_code, rate, last_rate } = waiting;
  const decide = useSend(
    (name: 'accept' | 'reject') =>
      post(apiPath(`/exchange-rate-source/waiting/{currency_code}/${name}`, { currency_code }), { rate }),
    {
      refresh: TOUCHED,
      done: (_, name) => (name === 'accept' ? w.accepted(currency_code) : w.rejected(currency_code)),
    },
  );
  // Not `last_rate`: a rate may have been entered since.
  const inForce = rates.find((one) => one.currency_code === currency_code)?.rate;
  const accept = async () => {
    const isJump = inForce !== undefined && isRateJump(decimal(inForce), decimal(rate));
    if (!isJump || (await askRate(currency_code, inForce, rate))) decide.mutate('accept');
  };
  return (
    <Alert
      color="orange"
      icon={<TriangleAlert size={18} aria-hidden />}
      title={w.waitingTitle(currency_code)}
    >
      <p className="rates-missing">
        {w.waitingText(format.money(rate, 'KRW'), last_rate === null ? '–' : format.money(last_rate, 'KRW'))}
      </p>
      {canDecide && (
        <Group gap="xs">
          <Button size="xs" loading={decide.isPending} onClick={() => void accept()}>
            {w.accept}
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={decide.isPending}
            onClick={() => decide.mutate('reject')}
          >
            {w.reject}
          </Button>
        </Group>
      )}
    </Alert>
  );
}

const RUNS_SHORT = 3;

function Runs({ runs }: { runs: readonly RateSourceRun[] }) {
  const w = useWords(sourceWords);
  const outcomes = useWords(outcomeWords);
  const failureText = useFailureText();
  const [showsAll, setShowsAll] = useState(false);
  const columns: Column<RateSourceRun>[] = [
    { key: 'at', header: w.at, primary: true, cell: ({ at }) => <Time at={at} /> },
    {
      key: 'outcome',
      header: w.outcome,
      cell: ({ outcome }) => <Badge color={COLORS[outcome]}>{outcomes[outcome]}</Badge>,
    },
    {
      key: 'details',
      header: w.details,
      cell: (run) =>
        run.outcome === 'failed'
          ? failureText(run)
          : run.rates.map(({ currency_code, rate }) => `${currency_code} ${rate}`).join(', ') || '–',
    },
    { key: 'actor', header: w.actor, cell: ({ actor }) => <ActorName actor={actor} /> },
  ];
  return (
    <>
      <DataTable
        label={w.runs}
        columns={columns}
        rows={showsAll ? runs : runs.slice(0, RUNS_SHORT)}
        rowKey={({ at, outcome, actor }) => `${at} ${outcome} ${actor}`}
        empty={null}
      />
      {!showsAll && runs.length > RUNS_SHORT && (
        <Group>
          <Button variant="subtle" size="xs" onClick={() => setShowsAll(true)}>
            {w.showRuns(runs.length)}
          </Button>
        </Group>
      )}
    </>
  );
}
