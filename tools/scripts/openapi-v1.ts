// Writes docs/channels/openapi-v1.json, the copy of the channel API's document that test/compatibility.test.ts holds the
// code against. Refuses while a client of the copy would break.
import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readConfig } from '../../src/config.ts';
import type { OpenApiDocument } from '../../src/http/docs/openapi.ts';
import { createLogger } from '../../src/log.ts';
import { createService } from '../../src/service.ts';
import { SERVICE_ROLE } from '../../src/store/embedded/roles.ts';
import { startEmbedded } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrations.ts';
import { breakingChanges } from './openapi-compare.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = join(ROOT, 'docs', 'channels', 'openapi-v1.json');

const HELP = `npm run openapi:v1

Starts the service, asks it for the document of the channel API and keeps it in docs/channels/openapi-v1.json. Additions
are taken over; a change that would break a client of the stored copy is refused, with a sentence for each.

  --help`;

/** From a service that really runs, on a database that goes again. */
async function currentDocument(): Promise<OpenApiDocument> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-openapi-'));
  const log = { info: () => {}, warn: () => {} };
  const server = await startEmbedded({ dataDir, log, settings: { fsync: 'off', shared_buffers: '32MB' } });
  try {
    await migrate(server.ownerUrl, SERVICE_ROLE);
    const config = readConfig({ PORT: '0', SLUICE_DATA_DIR: dataDir }, ROOT);
    const secret = 'seals nothing: no channel is made here';
    const service = await createService(config, { url: server.url, secret }, createLogger('silent'));
    try {
      const answer = await fetch(`${await service.listen()}/api/v1/openapi.json`);
      return (await answer.json()) as OpenApiDocument;
    } finally {
      await service.stop();
    }
  } finally {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function readStored(): Promise<OpenApiDocument | null> {
  const text = await readFile(FILE, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  return text === null ? null : (JSON.parse(text) as OpenApiDocument);
}

async function main(): Promise<number> {
  const now = await currentDocument();
  const stored = await readStored();
  const faults = stored ? breakingChanges(stored, now) : [];
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    console.error('The copy stays as it is: v1 takes additions only.');
    return 1;
  }
  await mkdir(dirname(FILE), { recursive: true });
  await writeFile(FILE, `${JSON.stringify(now, null, 2)}\n`);
  spawnSync(process.execPath, ['node_modules/oxfmt/bin/oxfmt', FILE], { cwd: ROOT });
  console.log(`${Object.keys(now.paths).length} paths in docs/channels/openapi-v1.json.`);
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
