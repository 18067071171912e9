import { Badge } from '@mantine/core';
import type { Webhook } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

/** The number of consecutive failures that opens an alert. */
const FAILURES_TOLD = 3;
const COLORS = { active: 'water', failing: 'red', paused: 'gray' };

export function WebhookState({ webhook }: { webhook: Webhook }) {
  const w = useWords(words);
  const state = !webhook.is_active ? 'paused' : webhook.failures >= FAILURES_TOLD ? 'failing' : 'active';
  return <Badge color={COLORS[state]}>{w[state]}</Badge>;
}
