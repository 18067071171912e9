// Builds the console into console/dist, with .br and .gz files, and measures the size of the first load. Run by
// tools/scripts/ensure.mjs with the pinned Node if the build is missing or older than its sources.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { build } from 'vite';
import { consoleStamp } from './console-stamp.mjs';

const FIRST_LOAD_BYTES_MAX = 350_000;
const COMPRESS_ABOVE_BYTES = 1_000;
const BROTLI_QUALITY = 9; // 11 takes ten times as long for 3 % less
const COMPRESSIBLE = /\.(?:js|css|html|svg|json)$/;

const root = fileURLToPath(new URL('../..', import.meta.url));
const home = path.join(root, 'console');
const dist = path.join(home, 'dist');
// Built in a staging directory and moved into place: a running service never sees an incomplete build.
const staging = path.join(home, `.staging-${process.pid}`);
const fresh = path.join(staging, 'dist');

process.env.NODE_ENV = 'production'; // overrides the environment
const started = Date.now();
const stamp = consoleStamp(root); // before the build: a source that changes during it makes it stale
try {
  await build({
    configFile: path.join(home, 'vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: fresh, emptyOutDir: true },
  });
  const bytes = firstLoadBytes(await compressAll());
  const weight = `first load ${(bytes / 1_000).toFixed(0)} kB compressed`;
  if (bytes > FIRST_LOAD_BYTES_MAX) {
    throw new Error(`${weight}: more than the limit of ${FIRST_LOAD_BYTES_MAX / 1_000} kB.`);
  }
  fs.writeFileSync(path.join(fresh, '.stamp'), stamp);
  fs.rmSync(dist, { recursive: true, force: true });
  fs.renameSync(fresh, dist);
  process.stderr.write(`console built in ${((Date.now() - started) / 1_000).toFixed(1)} s (${weight})\n`);
} catch (error) {
  process.stderr.write(`the console could not be built: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  fs.rmSync(staging, { recursive: true, force: true });
}

/** Returns the compressed size by file name, as in the manifest. */
async function compressAll() {
  const names = fs
    .readdirSync(fresh, { recursive: true })
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => COMPRESSIBLE.test(name) && !name.startsWith('.vite/'));
  const sizes = await Promise.all(names.map(async (name) => [name, await compress(path.join(fresh, name))]));
  return new Map(sizes);
}

async function compress(file) {
  const content = fs.readFileSync(file);
  // Not compressed, because the service inserts a nonce for each request.
  if (content.length <= COMPRESS_ABOVE_BYTES || file.endsWith('.html')) return content.length;
  const params = { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
  const [br, gz] = await Promise.all([
    promisify(zlib.brotliCompress)(content, { params }),
    promisify(zlib.gzip)(content, { level: 9 }),
  ]);
  fs.writeFileSync(`${file}.br`, br);
  fs.writeFileSync(`${file}.gz`, gz);
  return br.length;
}

/** The page, its scripts and styles, and the overview, which is shown first. */
function firstLoadBytes(sizes) {
  const manifestFile = path.join(fresh, '.vite', 'manifest.json');
  const manifest = JSON.parse(fs.readFileSync(manifestFile, 'utf8'));
  fs.rmSync(path.dirname(manifestFile), { recursive: true });
  const files = new Set(['index.html', 'scheme.js', 'favicon.svg']);
  const seen = new Set();
  const add = (name) => {
    if (seen.has(name)) return;
    seen.add(name);
    const chunk = manifest[name];
    if (chunk === undefined) throw new Error(`the build has no ${name}`);
    for (const file of [chunk.file, ...(chunk.css ?? [])]) files.add(file);
    for (const next of chunk.imports ?? []) add(next);
  };
  add('index.html');
  add('src/screens/overview/index.tsx');
  return [...files].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
}
