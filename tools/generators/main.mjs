// `npm run check:generators`: tests the channel API with third-party tools. Spectral and Redocly must report
// nothing; clients from three generators must compile strictly and work against a sandbox; newman must run the
// signed Postman collection there; the packed TypeScript client must pass publint and attw. Not part of
// `npm test`, because it needs 340 MB of packages and about two minutes: test/openapi.test.ts checks what needs
// no third-party tool.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readDocument } from '../scripts/openapi-documents.ts';
import { packClient } from '../scripts/pack-client.ts';
import { postmanOf } from '../../src/platform/docs/postman.ts';
import { spawnService, temporaryDirectory } from '../../verify/kit/process.ts';
import { DOCS_VARIABLES } from '../sandbox/seed-data.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));
const execute = promisify(execFile);

/** Each client sends the same requests and prints the same lines. */
const ORDER = `{ order_number: \`SHOP-\${name}\`, recipient_name: 'Kim Minji', recipient_phone: '010-1234-5678',
  shipping_address: 'Seoul', items: [{ sku: 'SHOP-MUG', quantity: 1, unit_price: 15000 }] }`;
const HEAD = `const name = process.argv[2] ?? '';
const baseUrl = process.env['SLUICE'] ?? '';
const headers = { 'X-Api-Key': process.env['SLUICE_KEY'] ?? '' };\n`;

const PROGRAMS = {
  'openapi-typescript': {
    generate: ['openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'openapi-typescript.ts'],
    program: `import createClient from 'openapi-fetch';
import type { paths } from './openapi-typescript.js';
${HEAD}const client = createClient<paths>({ baseUrl, headers });
const found = await client.GET('/inventory/{sku}', { params: { path: { sku: 'SHOP-MUG' } } });
console.log(found.data?.available);
const taken = await client.POST('/orders', { body: ${ORDER} });
console.log(taken.response.status, taken.data?.data.status);
const refused = await client.GET('/inventory/{sku}', { params: { path: { sku: 'NONE' } } });
console.log(refused.response.status, typeof refused.error);
`,
  },
  'hey-api': {
    generate: [
      '@hey-api/openapi-ts/bin/run.js',
      '-i',
      'openapi.json',
      '-o',
      'hey-api',
      '-c',
      '@hey-api/client-fetch',
    ],
    program: `import { getInventoryBySku, postOrders } from './hey-api/index.js';
${HEAD}const found = await getInventoryBySku({ baseUrl, headers, path: { sku: 'SHOP-MUG' } });
console.log(found.data?.available);
const taken = await postOrders({ baseUrl, headers, body: ${ORDER} });
console.log(taken.response?.status, taken.data?.data.status);
const refused = await getInventoryBySku({ baseUrl, headers, path: { sku: 'NONE' } });
console.log(refused.response?.status, typeof refused.error);
`,
  },
  'swagger-typescript-api': {
    generate: [
      'swagger-typescript-api/dist/cli.mjs',
      'generate',
      '-p',
      'openapi.json',
      '-o',
      '.',
      '-n',
      'swagger-typescript-api.ts',
    ],
    program: `import { Api } from './swagger-typescript-api.js';
${HEAD}const api = new Api({ baseUrl, baseApiParams: { headers } });
const found = await api.inventory.getInventoryBySku('SHOP-MUG');
console.log(found.data.available);
const taken = await api.orders.postOrders(${ORDER});
console.log(taken.status, taken.data.data.status);
const refused = await api.inventory.getInventoryBySku('NONE').catch((answer) => answer);
console.log(refused.status, typeof refused.error);
`,
  },
};

const STRICT = {
  compilerOptions: {
    target: 'es2022',
    lib: ['es2023', 'dom', 'dom.iterable'],
    module: 'nodenext',
    strict: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(ROOT, 'node_modules', '@types')],
    outDir: 'out',
  },
  include: ['.'],
};

const done = (what) => console.log(`ok  ${what}`);

function install() {
  if (existsSync(join(HERE, 'node_modules', 'newman'))) return;
  console.log('Installing the tools of tools/generators (340 MB) …');
  const { status } = spawnSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], {
    cwd: HERE,
    stdio: 'inherit',
  });
  assert.equal(status, 0, 'npm ci in tools/generators');
}

/** The path of a program in its package: `node_modules/.bin` does not exist on every platform. */
const toolAt = (path) => join(HERE, 'node_modules', path);

async function lint(document) {
  const require = createRequire(join(HERE, 'package.json'));
  const { Spectral } = require('@stoplight/spectral-core');
  const { oas } = require('@stoplight/spectral-rulesets');
  const spectral = new Spectral();
  // The operator's contact address is not known to the document.
  spectral.setRuleset({ extends: [[oas, 'all']], rules: { 'contact-properties': 'off' } });
  const found = await spectral.run(document);
  assert.deepEqual(
    found.map(({ code, path, message }) => `${code} ${path.join('.')}: ${message}`),
    [],
  );
  done('Spectral, all rules');
  const { createConfig, lintFromString } = require('@redocly/openapi-core');
  const config = await createConfig({ extends: ['recommended-strict'] });
  const problems = await lintFromString({
    source: JSON.stringify(document),
    absoluteRef: '/openapi.json',
    config,
  });
  assert.deepEqual(
    problems.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer}: ${message}`),
    [],
  );
  done('Redocly, recommended-strict');
}

async function generate(document, directory) {
  writeFileSync(join(directory, 'openapi.json'), JSON.stringify(document));
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}');
  writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(STRICT));
  symlinkSync(join(HERE, 'node_modules'), join(directory, 'node_modules'));
  for (const [
    name,
    {
      generate: [tool, ...args],
      program,
    },
  ] of Object.entries(PROGRAMS)) {
    await execute(process.execPath, [toolAt(tool), ...args], { cwd: directory });
    writeFileSync(join(directory, `use-${name}.ts`), program);
  }
  const args = [toolAt('typescript/lib/tsc.js'), '-p', directory];
  const { stdout } = await execute(process.execPath, args, { cwd: directory }).catch((error) => error);
  assert.equal(stdout, '', 'the generated clients compile');
  done('three generated clients compile strictly');
}

async function callAll(directory, base) {
  for (const name of Object.keys(PROGRAMS)) {
    const args = [join(directory, 'out', `use-${name}.js`), name];
    const env = { PATH: process.env.PATH, SLUICE: base, SLUICE_KEY: DOCS_VARIABLES.SLUICE_KEY };
    const { stdout } = await execute(process.execPath, args, { env });
    assert.match(stdout, /^\d+\n201 1\n404 object\n$/, name);
    done(`${name} calls the service`);
  }
}

/** Runs the requests of the collection with the key of the shop that must sign. */
async function runCollection(document, origin) {
  const text = JSON.stringify(postmanOf(document, origin));
  const collection = JSON.parse(text.replaceAll('SHOP-MUG', 'SIG-MUG').replaceAll('SHOP-1001', 'SIG-1001'));
  const require = createRequire(join(HERE, 'package.json'));
  const newman = require('newman');
  const variables = { apiKey: DOCS_VARIABLES.SIGNED_KEY, signingSecret: DOCS_VARIABLES.SIGNED_SECRET };
  for (const variable of collection.variable) variable.value = variables[variable.key] ?? variable.value;
  const summary = await promisify(newman.run)({ collection });
  const answers = summary.run.executions.map(({ item, response }) => `${response?.code} ${item.name}`);
  assert.deepEqual(
    answers.filter((answer) => !/^(?:200|201) /.test(answer)),
    [],
  );
  assert.equal(answers.length, Object.values(document.paths).flatMap((one) => Object.keys(one)).length);
  done(`newman runs ${answers.length} requests of the Postman collection, signed`);
}

async function checkPackage(directory) {
  const tarball = await packClient(directory);
  const require = createRequire(join(HERE, 'package.json'));
  const { publint } = await import(require.resolve('publint'));
  const { messages } = await publint({ pkgDir: join(directory, 'package'), pack: false, strict: true });
  assert.deepEqual(messages, []);
  done('publint');
  const attw = await import(require.resolve('@arethetypeswrong/core'));
  const found = await attw.checkPackage(attw.createPackageFromTarballData(readFileSync(tarball)));
  assert.deepEqual(found.problems, []);
  done('attw: types are right for CommonJS, ESM and bundlers');
}

install();
const directory = mkdtempSync(join(tmpdir(), 'sluice-generators-'));
const data = await temporaryDirectory();
let sandbox = null;
try {
  const document = await readDocument('api');
  await lint(document);
  await generate(document, directory);
  await checkPackage(directory);
  sandbox = await spawnService({ SLUICE_DATA_DIR: data.path }, [process.execPath, 'tools/sandbox/main.ts']);
  await sandbox.mustBeReady();
  await callAll(directory, `${sandbox.origin}/api/v1`);
  await runCollection(document, sandbox.origin);
} finally {
  await sandbox?.stop();
  await data.remove();
  rmSync(directory, { recursive: true, force: true });
}
