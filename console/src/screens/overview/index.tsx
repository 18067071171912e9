import { Alert, Group, SegmentedControl, Text } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { useGet } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { Overview as OverviewAnswer } from '../../api/types.ts';
import { Page, Reading, useUrlState } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { OrdersChart } from './chart.tsx';
import { GatePanel, ReconcilePanel } from './health.tsx';
import { LowStock, OldestUnpaid, Refused, Tiles } from './lists.tsx';
import './overview.css';
import { Steps, useIsNewcomer } from './steps.tsx';
import { words } from './words.ts';

const REFRESH_MS = 7_000;
const DAY = '24';
const WEEK = '168';

export default function Overview() {
  const w = useWords(words);
  const format = useFormat();
  const [url, setUrl] = useUrlState({ hours: DAY });
  const hours = url.hours === WEEK ? WEEK : DAY;
  const overview = useGet('/overview', { hours }, { everyMs: REFRESH_MS, keep: true });
  const isNewcomer = useIsNewcomer(overview.data);
  const time = overview.data && format.time(overview.data.now);
  return (
    <Page
      title={w.title}
      actions={
        isNewcomer === false && (
          <Group gap="sm">
            <Text size="xs" c="dimmed" className="num">
              {time !== undefined && w.asOf(time)}
            </Text>
            <SegmentedControl
              aria-label={w.range}
              size="sm"
              value={hours}
              onChange={(value) => setUrl({ hours: value })}
              data={[
                { value: DAY, label: w.day },
                { value: WEEK, label: w.week },
              ]}
            />
          </Group>
        )
      }
    >
      {overview.error !== null && time !== undefined && (
        <Alert color="yellow" icon={<TriangleAlert size={18} aria-hidden />} mb="md" p="sm">
          {w.notRefreshed(time)}
        </Alert>
      )}
      <Reading query={isNewcomer === undefined ? { ...overview, data: undefined } : overview} lines={10}>
        {(data) =>
          isNewcomer === true ? (
            <Steps overview={data} />
          ) : (
            <Figures overview={data} isOld={overview.isPlaceholderData} />
          )
        }
      </Reading>
    </Page>
  );
}

/** `isOld`: still the figures of the previous range. Batches and queue are only for administrators. */
function Figures({ overview, isOld }: { overview: OverviewAnswer; isOld: boolean }) {
  const isAdmin = useCan('admin');
  return (
    <div className="overview" data-old={isOld} aria-busy={isOld}>
      <Tiles overview={overview} />
      <div className="overview-grid">
        <OrdersChart overview={overview} className="overview-wide overview-tall" />
        <Refused overview={overview} className="overview-tall" />
        <LowStock overview={overview} />
        <OldestUnpaid overview={overview} />
        <div className="overview-column">
          <ReconcilePanel overview={overview} />
          {isAdmin && <GatePanel overview={overview} />}
        </div>
      </div>
    </div>
  );
}
