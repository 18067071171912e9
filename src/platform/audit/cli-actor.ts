// The actor of changes made on the command line.
import { userInfo } from 'node:os';
import type { Actor } from './store.ts';

export function cliActor(): Actor {
  return { actor: `cli:${userName()}`, request_id: null };
}

/** A container's user often has a number but no name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
