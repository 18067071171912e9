// A failing endpoint as a sentence for mails.
import type { AlertFacts } from '../alerts/words.ts';

export const webhookFailingText = (f: AlertFacts): string =>
  `the webhook to ${f['host']}${f['description'] ? ` (${f['description']})` : ''} ${f['pause_reason'] ? 'was paused' : `has failed since ${f['failing_since']}`}`;
