// Mails alerts: one mail for all alerts that were opened or closed since the last mail.
import { plainText } from '../domain/request-log.ts';
import type { AlertRow } from '../store/alerts.ts';
import { markMailed, readUnmailedAlerts, skipOldMails } from '../store/alert-mails.ts';
import { systemError } from '../system-error.ts';
import type { Job, JobServices } from './job.ts';

const ALERTS_A_MAIL_MAX = 200;
const SMTP_TIMEOUT_MS = 10_000;
/** A subject may contain the SKU that a channel sent, which must not begin another line. */
const SUBJECT_CHARACTERS_MAX = 300;

async function run({ config, pool, log, formatTimestamp }: JobServices): Promise<void> {
  const { mail } = config;
  if (mail === null) return;
  await skipOldMails(pool);
  const alerts = await readUnmailedAlerts(pool, ALERTS_A_MAIL_MAX);
  if (alerts.length === 0) return;
  const opened = alerts.filter(({ opening_mailed, closed_at }) => !opening_mailed && closed_at === null);
  const closed = alerts.filter(({ closed_at }) => closed_at !== null);
  const line = ({ kind, subject, opened_at, closed_at }: AlertRow): string =>
    `  ${kind} ${plainText(subject, SUBJECT_CHARACTERS_MAX)}, opened ${formatTimestamp(opened_at)}${closed_at ? `, closed ${formatTimestamp(closed_at)}` : ''}`;
  const text = [
    ...(opened.length > 0 ? ['Opened:', ...opened.map(line), ''] : []),
    ...(closed.length > 0 ? ['Closed:', ...closed.map(line), ''] : []),
    ...(config.public_url === null ? [] : [`${config.public_url}/console/alerts`]),
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

export const alertMail: Job = { name: 'alert-mail', every_s: 30, run };
