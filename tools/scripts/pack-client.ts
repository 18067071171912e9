// `npm run client:pack`: packs the TypeScript client as an npm package for ESM and CommonJS, and writes the tarball into a
// directory.
import { execFile } from 'node:child_process';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fromCaller } from '../../src/platform/cli/caller-path.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const SOURCE = join(ROOT, 'clients', 'typescript');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

const execute = promisify(execFile);

/** The names of the builds, and their `type` in package.json. */
const BUILDS = { esm: 'module', cjs: 'commonjs' } as const;

/** Writes `package/` and the tarball into a new or empty directory. Returns the path of the tarball. */
export async function packClient(directory: string): Promise<string> {
  const target = join(directory, 'package');
  await mkdir(target, { recursive: true });
  for (const name of ['package.json', 'README.md', 'LICENSE'])
    await cp(join(SOURCE, name), join(target, name));
  await Promise.all(
    Object.entries(BUILDS).map(([name, type]) => build(join(target, 'dist', name), type, directory)),
  );
  // npm keeps file modes, which would otherwise depend on the umask.
  for (const entry of await readdir(target, { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644);
  const { stdout } = await execute('npm', ['pack', '--json', '--silent', '--pack-destination', directory], {
    cwd: target,
  });
  const [packed] = JSON.parse(stdout) as { filename: string }[];
  if (!packed) throw new RangeError('npm pack has written nothing');
  return join(directory, packed.filename);
}

async function build(outDir: string, type: 'module' | 'commonjs', directory: string): Promise<void> {
  const config = join(directory, `tsconfig.${type}.json`);
  const compilerOptions = {
    rootDir: join(SOURCE, 'src'),
    outDir,
    typeRoots: [],
    ...(type === 'commonjs'
      ? { module: 'commonjs', moduleResolution: 'bundler', verbatimModuleSyntax: false }
      : {}),
  };
  const text = { extends: join(SOURCE, 'tsconfig.json'), compilerOptions, include: [join(SOURCE, 'src')] };
  await writeFile(config, JSON.stringify(text));
  await execute(process.execPath, [TSC, '-p', config]).catch((error: { stdout?: string }) => {
    throw new Error(error.stdout ?? 'tsc failed', { cause: error });
  });
  await rm(config);
  // Node and bundlers read the nearest package.json.
  await writeFile(join(outDir, 'package.json'), `${JSON.stringify({ type, sideEffects: false })}\n`);
  // The compiler keeps `.ts` in declarations, which other projects cannot resolve.
  for (const file of await readdir(outDir)) {
    if (!file.endsWith('.d.ts')) continue;
    const declarations = await readFile(join(outDir, file), 'utf8');
    await writeFile(join(outDir, file), declarations.replaceAll(/(['"]\.\/[\w-]+)\.ts(['"])/g, '$1.js$2'));
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const target = fromCaller(process.argv[2] ?? join(ROOT, 'dist'));
  await mkdir(target, { recursive: true });
  const directory = await mkdtemp(join(tmpdir(), 'sluice-client-'));
  try {
    const tarball = await packClient(directory);
    const packed = join(target, basename(tarball));
    await cp(tarball, packed);
    console.log(packed);
  } finally {
    await rm(directory, { recursive: true });
  }
}
