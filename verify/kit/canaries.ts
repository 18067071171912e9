// Secrets and personal data that must never appear in anything the service writes except its answers. Every fixture
// plants them, and the end of the run searches for them in everything that was kept (written.ts).
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** The personal data of an order. */
export const PERSON = {
  recipient_name: 'Kim Canaryname',
  recipient_phone: '010-1234-CANARYPHONE',
  shipping_address: '12 Canarystreet-ro, Gangnam-gu, Seoul',
} as const;

export const ADMIN_TOKEN = 'canary-admin-token-0123456789';
export const TEST_SECRET = 'canary-secret-0123456789-0123456789-0123';
/** The prefix of every API key that a test imports from another service. */
export const OLD_KEY = 'canary-old-key';
export const PASSWORD = 'canary horse battery staple';

const NEEDLES: Readonly<Record<string, RegExp>> = {
  'the name of a recipient': /Canaryname/i,
  'the phone of a recipient': /CANARYPHONE/i,
  'the address of a recipient': /Canarystreet/i,
  'the administrator token': /canary-admin-token/i,
  'the secret that seals keys': /canary-secret/i,
  'a password': /canary horse/i,
  'a one-time password': /\b(?:[a-hjkmnp-z2-9]{5}-){3}[a-hjkmnp-z2-9]{5}\b/,
  'an API key': /sluice_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/,
  'an API key that was taken over': /canary-old-key/i,
  'an admin token': /sluice_admin_[\w-]{43}/,
  'a signing secret': /sls_[\w-]{43}/,
  'the secret of a webhook': /whsec_[A-Za-z0-9+/]{43}=/,
  'the secret of a second factor': /\b[A-Z2-7]{32}\b/,
  // With hyphens, as it is shown; without them, as it is before it is hashed, if it has a digit.
  'a recovery code': /\b(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}\b|\b(?=[A-Z]*[2-7])[A-Z2-7]{16}\b/,
  'a session': /sluice_session=[\w-]{43}/,
  'a password hash': /scrypt\$\d/,
  'the password of a database role': /postgres(?:ql)?:\/\/[^\s:@/]+:[^\s@/]+@/,
};

export interface Leak {
  file: string;
  line: number;
  what: string;
  text: string;
}

const TEXT_SHOWN_MAX = 300;
const BLOCK_BYTES = 1024 * 1024;

export async function findLeaks(directory: string): Promise<Leak[]> {
  const leaks: Leak[] = [];
  for (const file of (await readdir(directory)).toSorted()) {
    const path = join(directory, file);
    let linesBefore = 0;
    for await (const block of wholeLines(path)) {
      const lines = block.split('\n');
      // No needle goes across lines, so a block without any has no line with one: few are looked at line by line.
      for (const [what, needle] of Object.entries(NEEDLES)) {
        if (!needle.test(block)) continue;
        for (const [index, text] of lines.entries()) {
          const at = text.search(needle);
          const shown = text.slice(Math.max(0, at - 100), at + TEXT_SHOWN_MAX);
          if (at >= 0) leaks.push({ file: path, line: linesBefore + index + 1, what, text: shown });
        }
      }
      linesBefore += lines.length;
    }
  }
  return leaks;
}

/** Blocks of lines, without the newline behind the last. */
async function* wholeLines(path: string): AsyncGenerator<string> {
  let rest = '';
  const stream = createReadStream(path, { encoding: 'utf8', highWaterMark: BLOCK_BYTES });
  for await (const chunk of stream as AsyncIterable<string>) {
    const end = chunk.lastIndexOf('\n');
    if (end < 0) {
      rest += chunk;
      continue;
    }
    yield rest + chunk.slice(0, end);
    rest = chunk.slice(end + 1);
  }
  if (rest !== '') yield rest;
}
