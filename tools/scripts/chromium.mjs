// Finds a browser for the console's tests and the screenshots. Returns launch options with which the browser has been
// started successfully once.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const SYSTEM_BROWSERS = [
  '/usr/bin/chromium-headless-shell', // also from Debian; starts in half the time
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];
const LAUNCH_MS_MAX = 30_000;

/** Read once at load, because `unpacked` changes it temporarily. */
const TEMPORARY = os.tmpdir();

const ARGS = [
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
];
/**
 * Flags of the npm package that would weaken the tests, that only AWS Lambda needs, or that render with an
 * emulated GPU. Without emulated rendering, a test file takes a quarter less CPU time of the browser.
 */
const NOT_WANTED = new RegExp(
  `^--(?:${[
    'disable-web-security',
    'allow-running-insecure-content',
    'single-process',
    'no-zygote',
    'headless',
    'in-process-gpu',
    'ignore-gpu-blocklist',
    'use-gl',
    'use-angle',
    'enable-unsafe-swiftshader',
  ].join('|')})`,
);

export const NO_BROWSER =
  "the console's tests need a browser: install Chromium or Chrome (Debian: apt-get install " +
  'chromium-headless-shell fonts-noto-cjk), or name one in SLUICE_CHROMIUM.';

const npmHome = fileURLToPath(new URL('../../node_modules/@sparticuz/chromium/', import.meta.url));

/** The launch options, or null if there is no browser. */
export async function ensureChromium() {
  const named = process.env.SLUICE_CHROMIUM;
  if (named) {
    const fault = await faultOf(optionsOf(named));
    if (fault) throw new Error(`SLUICE_CHROMIUM=${named} does not start: ${fault}`);
    return optionsOf(named);
  }
  return (await ofNpm()) ?? ofSystem();
}

const optionsOf = (executablePath, more = {}) => ({
  executablePath,
  args: [...ARGS, ...(more.args ?? [])],
  timeout: LAUNCH_MS_MAX,
  ...(more.env ? { env: more.env } : {}),
});

/** `env`: additional environment variables. */
export const launch = ({ env = {}, ...options }) =>
  chromium.launch({ ...options, env: { ...process.env, ...env } });

/** For several processes, which connect to the `wsEndpoint()` of the server. */
export const launchServer = ({ env = {}, ...options }) =>
  chromium.launchServer({ ...options, env: { ...process.env, ...env } });

/** Launches the browser once, because missing libraries are only detected then. */
async function faultOf(options) {
  try {
    const browser = await launch(options);
    await browser.close();
    return null;
  } catch (error) {
    return error.message.split('\n', 1)[0];
  }
}

async function ofSystem() {
  for (const file of SYSTEM_BROWSERS.filter((name) => fs.existsSync(name))) {
    if ((await faultOf(optionsOf(file))) === null) return optionsOf(file);
  }
  return null;
}

/**
 * The browser from the npm package, which exists for one platform only. It is tried as it is, then with the
 * libraries that the package ships.
 */
async function ofNpm() {
  if (`${process.platform}-${process.arch}` !== 'linux-x64' || !fs.existsSync(npmHome)) return null;
  const { default: packed, inflate } = await import('@sparticuz/chromium');
  const { version } = JSON.parse(fs.readFileSync(path.join(npmHome, 'package.json'), 'utf8'));
  const home = path.join(TEMPORARY, `sluice-chromium-${version}-${os.userInfo().uid}`);
  const args = packed.args.filter((flag) => !NOT_WANTED.test(flag));
  const fonts = fs.existsSync('/etc/fonts/fonts.conf') ? {} : { FONTCONFIG_PATH: path.join(home, 'fonts') };
  const libraries = { LD_LIBRARY_PATH: path.join(home, 'al2023', 'lib') };
  for (const isSecond of [false, true]) {
    if (isSecond) fs.rmSync(home, { recursive: true, force: true }); // may be incomplete
    const file = await unpacked(home, () => packed.executablePath());
    const plain = optionsOf(file, { args, env: fonts });
    if ((await faultOf(plain)) === null) return plain;
    await unpacked(home, () => inflate(path.join(npmHome, 'bin', 'al2023.tar.br')));
    const helped = optionsOf(file, { args, env: { ...fonts, ...libraries } });
    if ((await faultOf(helped)) === null) return helped;
  }
  return null;
}

/** The package unpacks into the system's temporary directory, so give it a separate directory there. */
async function unpacked(home, unpack) {
  const before = process.env.TMPDIR;
  fs.mkdirSync(home, { recursive: true, mode: 0o700 });
  process.env.TMPDIR = home;
  try {
    return await unpack();
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
}
