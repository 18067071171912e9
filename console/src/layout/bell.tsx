import { ActionIcon, Indicator, Tooltip } from '@mantine/core';
import { Bell } from 'lucide-react';
import { Link } from 'react-router';
import { useList } from '../api/query.ts';
import { groupAlerts } from '../components/index.ts';
import { useWords } from '../i18n/words.ts';
import { words } from './words.ts';

const EVERY_MS = 30_000;
const COUNT_MAX = 99;

/** The number of causes of open alerts, with a link to them. */
export function AlertBell() {
  const w = useWords(words);
  const { rows } = useList('/alerts', { state: 'open' }, { everyMs: EVERY_MS, limit: COUNT_MAX + 1 });
  const count = groupAlerts(rows).length;
  const alerts = rows.length > COUNT_MAX ? `${COUNT_MAX}+` : String(rows.length);
  const label = rows.length === count ? w.alertsOpen(count) : w.alertsGrouped(count, alerts);
  return (
    <Tooltip label={label}>
      <Indicator
        disabled={count === 0}
        label={count > COUNT_MAX ? `${COUNT_MAX}+` : count}
        size={16}
        color="red"
        offset={6}
      >
        <ActionIcon component={Link} to="/alerts" variant="subtle" color="gray" size="lg" aria-label={label}>
          <Bell size={17} aria-hidden />
        </ActionIcon>
      </Indicator>
    </Tooltip>
  );
}
