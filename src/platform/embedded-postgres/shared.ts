// A directory that every user can read, for PostgreSQL's programs if its user cannot read the installed ones.
import { chmod, lstat, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedStartError } from './report.ts';
import type { RunAs } from './user.ts';
import { canReach } from './user.ts';

const candidates = (): string[] => [
  ...new Set(['/var/lib/sluice', join(tmpdir(), 'sluice-shared'), '/tmp/sluice-shared']),
];

export async function sharedPlace(user: RunAs): Promise<string> {
  for (const place of candidates()) {
    try {
      await mkdir(place, { recursive: true, mode: 0o755 });
      // In a world-writable directory another user may have created it first.
      if (!(await isOurs(place))) continue;
      await chmod(place, 0o755);
      if (await canReach(place, user)) return place;
    } catch {
      continue;
    }
  }
  throw new EmbeddedStartError(
    `PostgreSQL runs as ${user.name}, who can read neither its programs nor a copy in /var/lib/sluice; start Sluice as an ordinary user`,
  );
}

/** The shared directories that exist. */
export async function sharedPlaces(): Promise<string[]> {
  const found = await Promise.all(candidates().map(async (place) => ((await isOurs(place)) ? [place] : [])));
  return found.flat();
}

export async function isOurs(dir: string): Promise<boolean> {
  const found = await lstat(dir).catch(() => null);
  return (
    found !== null && found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
  );
}
