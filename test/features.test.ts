// Features can be taken away and added: in a copy of src, each is removed in turn, and the example of docs/new-feature.md
// is copied in. The copy is then type-checked, and the service starts there and takes an order.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { FEATURES } from '../src/start/features.ts';
import { bareEnvironment } from '../verify/kit/environment.ts';
import { fixtures, must, orderOf } from '../verify/kit/fixtures.ts';
import { onDatabase, spawnService, temporaryDirectory, type ServiceProcess } from '../verify/kit/process.ts';
import { startTestService } from '../verify/kit/service.ts';
import { ROOT } from './cli-run.ts';

const service = await startTestService();
const make = fixtures(service);
const { channel, sku } = await make.setting();

const scratch = await temporaryDirectory();
after(() => scratch.remove());
const inScratch = (...path: string[]): string => join(scratch.path, ...path);

const COPIED = ['src', 'docs'];
for (const name of readdirSync(ROOT)) {
  if (COPIED.includes(name)) cpSync(join(ROOT, name), inScratch(name), { recursive: true });
  else if (!['.git', 'test', 'tsconfig.json'].includes(name)) symlinkSync(join(ROOT, name), inScratch(name));
}
mkdirSync(inScratch('test'));
cpSync(join(ROOT, 'test/architecture.test.ts'), inScratch('test/architecture.test.ts'));
const config = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as object;
writeFileSync(inScratch('tsconfig.json'), JSON.stringify({ ...config, include: ['src'] }));

const LIST = inScratch('src/start/features.ts');
const list = readFileSync(LIST, 'utf8');
const importOf = (feature: string): RegExp =>
  new RegExp(`^import \\{ (\\w+) \\} from '../features/${feature}/feature.ts';\n`, 'm');

/** Without the two lines of the feature, its import and its place in the list. */
function withoutLines(text: string, feature: string): string {
  const [line = '', name = ''] = importOf(feature).exec(text) ?? [];
  assert.notEqual(name, '', `${feature} is not imported`);
  return text.replace(line, '').replace(new RegExp(`^  ${name}(?:\\(.*\\))?,\n`, 'm'), '');
}

/** A Node program of the scratch tree; its output if it fails. */
const run = (args: readonly string[]): Promise<{ code: number; output: string }> =>
  new Promise((resolve) => {
    const env = { ...bareEnvironment(), ...onDatabase(service.database.url) };
    const child = execFile(process.execPath, args, { cwd: scratch.path, env }, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode ?? 1, output: stdout + stderr }),
    );
  });

async function mustRun(...args: string[]): Promise<string> {
  const { code, output } = await run(args);
  assert.equal(code, 0, output);
  return output;
}

/** The first call takes 4 s, the following ones check what has changed in less than a second. */
const typeErrors = async (): Promise<string[]> => {
  const options = ['--noEmit', '--incremental', '--tsBuildInfoFile', '.types'];
  const { output } = await run(['node_modules/typescript/bin/tsc', ...options]);
  return output.split('\n').filter((line) => line !== '');
};

async function whileStarted(use: (started: ServiceProcess) => Promise<void>): Promise<void> {
  const env = { ...onDatabase(service.database.url), SLUICE_WORKERS: '1' };
  const started = await spawnService(env, [process.execPath, 'src/start/main.ts'], scratch.path);
  try {
    await started.mustBeReady();
    const order = orderOf([{ sku, quantity: 1, unit_price: 10 }]);
    await must(started.channel(channel.api_key)('POST', '/orders', order), 201);
    await use(started);
  } finally {
    await started.stop();
  }
}

/** The feature and all that need it, in themselves or through others. */
function withDependents(feature: string): string[] {
  const found = new Set([feature]);
  for (let size = 0; size < found.size;) {
    size = found.size;
    for (const { name, needs = [] } of FEATURES) if (needs.some((other) => found.has(other))) found.add(name);
  }
  return [...found];
}

for (const { name: feature } of FEATURES)
  test(`without ${feature} the rest compiles, starts and takes an order`, async () => {
    const removed = withDependents(feature);
    const folderOf = (name: string): string => inScratch('src/features', name);
    mkdirSync(inScratch('removed'), { recursive: true });
    for (const name of removed) renameSync(folderOf(name), inScratch('removed', name));
    writeFileSync(LIST, removed.reduce(withoutLines, list));
    try {
      const files = (await typeErrors()).map((line) => line.slice(0, line.indexOf('(')));
      assert.deepEqual([...new Set(files)].toSorted(), []);
      await mustRun('src/start/cli.ts', '--help');
      await whileStarted(async () => {});
    } finally {
      for (const name of removed) renameSync(inScratch('removed', name), folderOf(name));
      writeFileSync(LIST, list);
    }
  });

test('the example of docs/new-feature.md works as it is copied', async () => {
  const guide = readFileSync(join(ROOT, 'docs/new-feature.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```ts (\S+)\n(.*?)^```$/gms)];
  assert.ok(blocks.length > 5, 'the files were not found');
  const [, row = ''] = /``(\| `src\/features\/sold-out\/`.*?)``/.exec(guide) ?? [];
  mkdirSync(inScratch('src/features/sold-out'));
  for (const [, file = '', text = ''] of blocks) writeFileSync(inScratch(file), text);
  const [first = ''] = importOf('shipping').exec(list) ?? [];
  const line = "import { soldOut } from '../features/sold-out/feature.ts';\n";
  writeFileSync(
    LIST,
    list.replace(first, first + line).replace('  shipping,\n', '  shipping,\n  soldOut,\n'),
  );
  appendFileSync(inScratch('docs/architecture.md'), `\n${row}\n`);

  assert.deepEqual(await typeErrors(), []);
  await mustRun('node_modules/oxfmt/bin/oxfmt', '--check', 'src/features/sold-out', 'src/start/features.ts');
  await mustRun('node_modules/oxlint/bin/oxlint', 'src/features/sold-out');
  await mustRun('--test', 'test/architecture.test.ts');

  const variant = await make.variant(1);
  await make.variant(1);
  const code = await make.map(channel, variant);
  await must(channel.call('POST', '/orders', orderOf([{ sku: code, quantity: 1, unit_price: 10 }])), 201);
  const item = { variant_code: variant.code, product_name: `Product ${variant.product}`, unshipped: 1 };
  const words = `Sold out: ${variant.code} (1 to ship).`;
  await whileStarted(async (started) => {
    assert.deepEqual(await must(started.admin('GET', '/sold-out'), 200), [item]);
    assert.equal((await started.admin('GET', '/sold-out?limit=1', undefined, 'no token')).status, 401);
    await started.printed(words);
  });
  assert.equal(await mustRun('src/start/cli.ts', 'sold-out'), `${words}\n`);
  assert.deepEqual(JSON.parse(await mustRun('src/start/cli.ts', 'sold-out', '--json')), [item]);
  assert.match(await mustRun('src/start/cli.ts', '--help'), /^ +sold-out +list items/m);
});
