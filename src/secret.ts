// The secret that seals stored channel keys: given, or made once beside the embedded database.
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from './config.ts';

export async function loadSecret(config: Config): Promise<string> {
  if (config.secret !== null) return config.secret;
  const path = join(config.data_dir, 'secret');
  const stored = await readStored(path);
  if (stored !== null) return stored;
  await mkdir(config.data_dir, { recursive: true });
  // Written whole beside it and linked into place: a killed first start leaves no half secret, and of two
  // starts at once both use the one that came first.
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    await unlink(draft);
  }
  const made = await readStored(path);
  if (made === null) throw new Error(`the secret in ${path} vanished`);
  return made;
}

async function readStored(path: string): Promise<string | null> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
