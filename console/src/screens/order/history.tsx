import { Paper, Timeline, Title } from '@mantine/core';
import type { OrderDetail } from '../../api/types.ts';
import { Time, useStatusName } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

type Source = 'channel' | 'back_office';

/** Every step from the intake on, the last one at the bottom. */
export function History({ order: { history } }: { order: OrderDetail }) {
  const w = useWords(words);
  const name = useStatusName();
  const sources: Record<Source, string> = { channel: w.byChannel, back_office: w.byOffice };
  return (
    <Paper component="section" aria-label={w.history}>
      <Title order={2} mb="md">
        {w.history}
      </Title>
      <Timeline active={history.length - 1} bulletSize={14} lineWidth={2}>
        {history.map(({ from, to, source, at }) => (
          <Timeline.Item key={to} title={from === null ? w.accepted(name(to)) : name(to)}>
            <div className="order-step">
              <Time at={at} />
              <span>{from === null ? w.received : (sources[source as Source] ?? source)}</span>
            </div>
          </Timeline.Item>
        ))}
      </Timeline>
    </Paper>
  );
}
