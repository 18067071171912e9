// Writes docs/channels/openapi-v1.json, the stored copy of the channel API's document with which
// test/compatibility.test.ts compares the code, and a Postman collection of it. Refuses changes that would
// break clients of the stored copy.
import { spawnSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { OpenApiDocument } from '../../src/platform/docs/document.ts';
import { postmanOf } from '../../src/platform/docs/postman.ts';
import { DOCUMENTED_ORIGIN } from '../sandbox/own-routes.ts';
import { breakingChanges } from './openapi-compare.ts';
import { readDocument } from './openapi-documents.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = join(ROOT, 'docs', 'channels', 'openapi-v1.json');
const COLLECTION = join(ROOT, 'docs', 'channels', 'postman-v1.json');

const HELP = `npm run openapi:v1

Stores the document of the channel API in docs/channels/openapi-v1.json and as a Postman
collection in docs/channels/postman-v1.json. Additions are accepted; a change that would
break a client of the stored copy is refused, with a sentence for each.

  --help`;

async function readStored(): Promise<OpenApiDocument | null> {
  const text = await readFile(FILE, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : (JSON.parse(text) as OpenApiDocument);
}

async function main(): Promise<number> {
  const now = await readDocument('api');
  const stored = await readStored();
  const faults = stored ? breakingChanges(stored, now) : [];
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error('The copy was not changed: v1 accepts additions only.');
    return 1;
  }
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, `${JSON.stringify(now, null, 2)}\n`);
  await writeFile(COLLECTION, `${JSON.stringify(postmanOf(now, DOCUMENTED_ORIGIN), null, 2)}\n`);
  spawnSync(process.execPath, ['node_modules/oxfmt/bin/oxfmt', FILE, COLLECTION], { cwd: ROOT });
  console.log(`${Object.keys(now.paths).length} paths in docs/channels/openapi-v1.json and postman-v1.json.`);
  return 0;
}

try {
  const { values } = parseArgs({ options: { help: { type: 'boolean', default: false } } });
  if (values.help) console.log(HELP);
  else process.exitCode = await main();
} catch (error) {
  const isUsage = (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS') === true;
  if (!isUsage) throw error;
  console.error(`${(error as Error).message} See --help.`);
  process.exitCode = 2;
}
