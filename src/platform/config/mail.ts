// The settings of mails about alerts.
import type { Variables } from './variables.ts';

export interface Mail {
  /** smtp://user:password@host:port, or smtps:// */
  readonly smtp_url: string;
  readonly from: string;
  readonly to: readonly string[];
}

/** null: no variable is set, or one is wrong. */
export function readMail({ text, check }: Variables): Mail | null {
  const smtp_url = text('SLUICE_SMTP_URL');
  const from = text('SLUICE_MAIL_FROM');
  const to = (text('SLUICE_MAIL_TO') ?? '').split(',').map((one) => one.trim());
  if (smtp_url === null && from === null && to.join('') === '') return null;
  check(
    smtp_url !== null && /^smtps?:\/\//.test(smtp_url) && URL.canParse(smtp_url),
    'SLUICE_SMTP_URL must be an address that starts with smtp:// or smtps://, set together with SLUICE_MAIL_FROM and SLUICE_MAIL_TO.',
  );
  check(from !== null && isMailAddress(from), 'SLUICE_MAIL_FROM must be an e-mail address.');
  check(to.every(isMailAddress), 'SLUICE_MAIL_TO must be e-mail addresses, separated by commas.');
  return smtp_url === null || from === null ? null : Object.freeze({ smtp_url, from, to });
}

const isMailAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+$/u.test(text);
