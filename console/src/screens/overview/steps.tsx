import { Button, Text, ThemeIcon, Title } from '@mantine/core';
import { Check } from 'lucide-react';
import { Link } from 'react-router';
import { useGet, useList } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { path } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { Overview } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

/** True if no order has ever arrived. Asked only if there are no recent orders. */
export function useIsNewcomer(overview: Overview | undefined): boolean | undefined {
  const isQuiet =
    overview !== undefined &&
    overview.orders_per_hour.length === 0 &&
    overview.open_orders.every(({ count }) => count === 0);
  const first = useList(isQuiet ? '/orders' : null, {}, { limit: 1, everyMs: 10_000 });
  if (overview === undefined) return undefined;
  if (!isQuiet) return false;
  if (overview.channels.length === 0) return true;
  return first.isLoading ? undefined : first.rows.length === 0;
}

interface Step {
  title: string;
  text: string;
  isDone: boolean;
  link: { to: string; label: string } | null;
}

/** The steps to the first order, shown instead of empty charts. */
export function Steps({ overview }: { overview: Overview }) {
  const w = useWords(words);
  const isAdmin = useCan('admin');
  const isOperator = useCan('operator');
  const [channel] = overview.channels;
  const products = useList('/products', {}, { limit: 1 });
  const stock = useList('/stock', {}, { limit: 1 });
  const checklist = useGet(channel ? apiPath('/channels/{id}/checklist', { id: channel.id }) : null);
  const mapped = checklist.data?.items.find((item) => item.key === 'mappings')?.detail.mapped ?? 0;
  const steps: Step[] = [
    {
      title: w.step1,
      text: w.step1Text,
      isDone: channel !== undefined,
      link: isAdmin ? { to: '/channels?new=1', label: w.step1Link } : null,
    },
    {
      title: w.step2,
      text: w.step2Text,
      isDone: products.rows.length > 0,
      link: isOperator ? { to: '/register', label: w.step2Link } : null,
    },
    {
      title: w.step3,
      text: w.step3Text,
      isDone: mapped > 0,
      link: { to: channel ? `/mappings?channel=${channel.id}` : '/mappings', label: w.step3Link },
    },
    {
      title: w.step4,
      text: w.step4Text,
      isDone: stock.rows.length > 0,
      link: { to: stock.rows.length === 0 ? '/stock?show=missing' : '/stock', label: w.step4Link },
    },
    {
      title: w.step5,
      text: w.step5Text,
      isDone: false,
      link: channel
        ? { to: path`/channels/${channel.id}`, label: w.step5LinkOne }
        : { to: '/channels', label: w.step5Link },
    },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <section className="overview-steps">
      <Title order={2}>{w.stepsTitle}</Title>
      <Text c="dimmed" size="sm" mb="lg">
        {w.stepsText}
      </Text>
      <ol>
        {steps.map(({ title, text, isDone, link }, at) => (
          <li key={title} data-next={at === next}>
            <ThemeIcon radius="xl" size={30} variant={isDone || at === next ? 'filled' : 'default'}>
              {isDone ? <Check size={16} aria-hidden /> : <span aria-hidden>{at + 1}</span>}
            </ThemeIcon>
            <div className="overview-step-words">
              <Title order={3}>
                {title} <span className="only-read">({isDone ? w.stepDone : w.stepOpen})</span>
              </Title>
              <Text size="sm" c="dimmed">
                {text}
              </Text>
            </div>
            {link !== null && (
              <Button
                component={Link}
                to={link.to}
                variant={at === next ? 'filled' : 'default'}
                size="sm"
                style={{ flex: 'none' }}
              >
                {link.label}
              </Button>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
