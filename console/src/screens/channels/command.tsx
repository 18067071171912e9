// Ready-made commands for the channel's engineers.
import { useWords } from '../../i18n/words.ts';
import { CopyButton } from '../../components/index.ts';
import './command.css';
import { fieldWords } from './words.ts';

/** Quotes for a POSIX shell: nothing is special between single quotes. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const api = (to: string): string => `${window.location.origin}/api/v1${to}`;

export const inventoryCommand = (key: string): string =>
  `curl -H ${quoted(`X-Api-Key: ${key}`)} ${api('/inventory')}`;

export function orderCommand(key: string, order: object): string {
  return [
    `curl -H ${quoted(`X-Api-Key: ${key}`)}`,
    `  -H 'Content-Type: application/json'`,
    `  -d ${quoted(JSON.stringify(order, null, 2))}`,
    `  ${api('/orders')}`,
  ].join(' \\\n');
}

/** A command with a button to copy it. */
export function Command({ text, label }: { text: string; label: string }) {
  const w = useWords(fieldWords);
  return (
    <figure className="command">
      <figcaption className="command-head">
        {label}
        <CopyButton text={text} label={`${w.copyCommand}: ${label}`} />
      </figcaption>
      {/* Focusable, so that a long line can be scrolled by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className="command-text" tabIndex={0} role="region" aria-label={label}>
        {text}
      </pre>
    </figure>
  );
}
