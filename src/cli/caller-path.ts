// Paths of files on the command line.
import { resolve } from 'node:path';

/** `npm run sluice` changes to the project directory; a relative path is relative to where npm was called. */
export function fromCaller(file: string): string {
  const { npm_lifecycle_event, INIT_CWD } = process.env;
  return npm_lifecycle_event === 'sluice' && INIT_CWD !== undefined ? resolve(INIT_CWD, file) : file;
}
