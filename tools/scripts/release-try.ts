// `npm run release -- --try`, or `bin/node tools/scripts/release-try.ts RELEASE_DIR [ROOT]`: runs a release in
// an isolated root (bubblewrap). The root is read-only, with another user, no capabilities and no network but
// loopback. It contains only the release, the C library and the three programs that the scripts in bin/ use.
// With ROOT, the root of an image that was built with deploy/container/Containerfile is used instead.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const INSIDE = fileURLToPath(new URL('release-try-inside.mjs', import.meta.url));
const USER = 10_001;
const PROGRAMS = ['sh', 'dirname', 'readlink'];
const TIMEOUT_MS = 300_000;

/** The settings for running the image, from the Containerfile. */
function settingsOf(containerfile: string): { env: string[]; serve: string[]; health: string[] } {
  const text = containerfile.replaceAll(/\\\n\s*/g, '');
  const list = (name: string): string[] => {
    const found = new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(text)?.[1];
    if (found === undefined) throw new Error(`the Containerfile has no ${name}`);
    const parsed: string[] = JSON.parse(found);
    return parsed;
  };
  return {
    env: /^ENV (.*)$/m.exec(text)?.[1]?.split(' ') ?? [],
    serve: [...list('ENTRYPOINT'), ...list('CMD')],
    health: list('HEALTHCHECK.* CMD'),
  };
}

/** The mounts of a root with the C library and three programs of this machine. */
function bareRoot(scratch: string): string[] {
  const passwd = path.join(scratch, 'passwd');
  fs.writeFileSync(passwd, `sluice:x:${USER}:${USER}::/data:/usr/sbin/nologin\n`);
  const libraries = ['/usr/lib', '/usr/lib64'].filter((directory) => fs.existsSync(directory));
  return [
    libraries.flatMap((directory) => ['--ro-bind', directory, directory]),
    libraries.flatMap((directory) => ['--symlink', directory.slice(1), directory.replace('/usr', '')]),
    PROGRAMS.flatMap((name) => ['--ro-bind', fs.realpathSync(`/usr/bin/${name}`), `/usr/bin/${name}`]),
    ['--symlink', 'usr/bin', '/bin', '--ro-bind', passwd, '/etc/passwd'],
  ].flat();
}

export function tryRelease(home: string, root: string | null = null): void {
  const { env, serve, health } = settingsOf(
    fs.readFileSync(path.join(home, 'deploy/container/Containerfile'), 'utf8'),
  );
  const scratch = fs.mkdtempSync(path.join(tmpdir(), 'sluice-try-'));
  const data = path.join(scratch, 'data');
  fs.mkdirSync(data);
  const variables = [
    ...env,
    'SLUICE_ADMIN_TOKEN=a-token-for-the-trial',
    'PATH=/usr/bin:/bin',
    'LOG_LEVEL=warn',
  ];
  const mounts =
    root === null
      ? [...bareRoot(scratch), '--ro-bind', path.resolve(home), '/opt/sluice']
      : ['--ro-bind', path.resolve(root), '/'];
  const options = `--unshare-all --die-with-parent --cap-drop ALL --clearenv --uid ${USER} --gid ${USER}`;
  const args = [
    options.split(' '),
    mounts,
    '--proc /proc --dev /dev --tmpfs /tmp --chdir /'.split(' '),
    ['--bind', data, '/data', '--ro-bind', INSIDE, '/tmp/inside.mjs', '--remount-ro', '/'],
    variables.flatMap((one) => ['--setenv', ...splitAt(one)]),
    ['/opt/sluice/bin/node', '/tmp/inside.mjs', JSON.stringify({ serve, health })],
  ].flat();
  console.log(root === null ? 'trying the release in an isolated root…' : `trying the image at ${root}…`);
  const { status, error } = spawnSync('bwrap', args, { stdio: 'inherit', timeout: TIMEOUT_MS });
  fs.rmSync(scratch, { recursive: true, force: true });
  if (error) throw new Error(`bubblewrap (bwrap) cannot be run: ${error.message}`);
  if (status !== 0) throw new Error('the release does not run in the isolated root');
}

function splitAt(assignment: string): [string, string] {
  const at = assignment.indexOf('=');
  return [assignment.slice(0, at), assignment.slice(at + 1)];
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [home, root] = process.argv.slice(2);
  if (home === undefined)
    throw new Error('The release directory is missing: release-try.ts RELEASE_DIR [ROOT]');
  tryRelease(home, root ?? null);
}
