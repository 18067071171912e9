// A hash of the sources of a console build. Plain JavaScript without packages, because ensure.mjs uses it too.
import { createHash } from 'node:crypto';
import * as fs from 'node:fs';
import * as path from 'node:path';

const NOT_SOURCES = /^(?:dist|\.staging-\d+|README\.md|\.DS_Store)$/;

/** The files of src that the console may import (test/architecture.test.ts). */
const PURE = /^src.(?:core.rules|platform.values).|(?:^|[\\/-])rules\.ts$/;

export function consoleStamp(root) {
  const hash = createHash('sha256');
  for (const file of [
    ...filesIn(path.join(root, 'console')),
    ...filesIn(path.join(root, 'src')).filter((name) => PURE.test(path.relative(root, name))),
    ...shared(root),
  ]) {
    hash.update(`${path.relative(root, file)}\n`).update(fs.readFileSync(file));
  }
  return `${hash.digest('hex')}\n`;
}

const shared = (root) => [
  path.join(root, 'package-lock.json'),
  path.join(root, 'tools', 'scripts', 'console-build.mjs'),
];

function filesIn(directory) {
  return (
    fs
      .readdirSync(directory, { withFileTypes: true })
      .filter(({ name }) => !NOT_SOURCES.test(name))
      // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no toSorted
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .flatMap((entry) => {
        const file = path.join(directory, entry.name);
        return entry.isDirectory() ? filesIn(file) : [file];
      })
  );
}
