// Mails alerts: one mail for all alerts that were opened or closed since the last mail.
import { runbookAddress } from './rules.ts';
import { factsInZone } from '../../platform/values/timestamps.ts';
import type { AlertRow } from './store.ts';
import { markMailed, readUnmailedAlerts, skipOldMails } from './mails-store.ts';
import { systemError } from '../../platform/log/system-error.ts';
import type { Alerts } from './kinds.ts';
import { alertText } from './words.ts';
import type { CoreJob, JobServices } from '../../core/assembly/core.ts';

const ALERTS_A_MAIL_MAX = 200;
const SMTP_TIMEOUT_MS = 10_000;

async function run({ config, pool, log, formatTimestamp }: JobServices, { kinds }: Alerts): Promise<void> {
  const { mail } = config;
  if (mail === null) return;
  await skipOldMails(pool);
  const alerts = await readUnmailedAlerts(pool, ALERTS_A_MAIL_MAX);
  if (alerts.length === 0) return;
  const opened = alerts.filter(({ opening_mailed, closed_at }) => !opening_mailed && closed_at === null);
  const closed = alerts.filter(({ closed_at }) => closed_at !== null);
  const site = config.public_url ?? '';
  const said = (name: string, details: object): string => {
    const kind = kinds.find((one) => one.name === name);
    return kind ? alertText(kind.text, details) : name;
  };
  const line = ({ kind, details, opened_at, closed_at }: AlertRow): string =>
    [
      `  ${said(kind, factsInZone(details, formatTimestamp))}`,
      `    ${kind}, opened ${formatTimestamp(opened_at)}${closed_at ? `, closed ${formatTimestamp(closed_at)}` : ''}`,
      `    what to do: ${site}${runbookAddress(kind)}`,
    ].join('\n');
  const text = [
    ...(opened.length > 0 ? ['Opened:', ...opened.map(line), ''] : []),
    ...(closed.length > 0 ? ['Closed:', ...closed.map(line), ''] : []),
    `All alerts: ${site}/console/alerts`,
  ].join('\n');
  // Loaded when the first mail is sent.
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    url: mail.smtp_url,
    connectionTimeout: SMTP_TIMEOUT_MS,
    greetingTimeout: SMTP_TIMEOUT_MS,
    socketTimeout: SMTP_TIMEOUT_MS,
  });
  try {
    const subject = `Sluice alerts: ${opened.length} opened, ${closed.length} closed`;
    await transport.sendMail({ from: mail.from, to: [...mail.to], subject, text });
    await markMailed(pool, alerts);
  } catch (error) {
    // Only the code: the error's message can repeat addresses and credentials. The next run retries.
    log.warn({ code: systemError(error).code }, 'alerts could not be mailed');
  } finally {
    transport.close();
  }
}

export const alertMail = (alerts: () => Alerts): CoreJob => ({
  name: 'alert-mail',
  every_s: 30,
  // Another process may have the settings of the mail server.
  isPossible: ({ mail }) => mail !== null,
  run: (services) => run(services, alerts()),
});
