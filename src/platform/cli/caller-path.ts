// Paths of files on the command line.
import { resolve } from 'node:path';

/** A script of this project, such as `npm run sluice`, runs in the project directory; a relative path is relative to where npm was called. */
export function fromCaller(file: string): string {
  const { npm_package_name, INIT_CWD } = process.env;
  return npm_package_name === 'sluice' && INIT_CWD !== undefined ? resolve(INIT_CWD, file) : file;
}
