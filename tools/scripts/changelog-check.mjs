// npm's `preversion` and `version` scripts: every version needs a changelog entry. `--release` moves the
// entries under "Unreleased" to the new version and sets the version in the Kubernetes manifests. Plain
// JavaScript, because it runs on any Node that is installed.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

const UNRELEASED = '## Unreleased';

/** The text under "Unreleased", or null if there is none. */
export function unreleased(changelog) {
  const [, rest] = changelog.split(`${UNRELEASED}\n`);
  const text = rest?.split(/^## /m)[0]?.trim() ?? '';
  return text === '' ? null : text;
}

/** Moves the unreleased entries to the version, and adds a new, empty "Unreleased". */
export const released = (changelog, version, date) =>
  changelog.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n## ${version} (${date})\n`);

const MANIFEST = path.join('deploy', 'kubernetes', 'sluice.yaml');

/** Returns the manifest with the image of the version. */
export const withImage = (manifest, version) =>
  manifest.replaceAll(/^( *image: sluice):\S+$/gm, (_line, image) => `${image}:${version}`);

/**
 * Returns what is wrong between a changelog and a version, or null. npm skips these scripts if `ignore-scripts`
 * is set; then the tests detect the missing entry with this function.
 */
export function faultOf(changelog, version) {
  const newest = /^## (\d+\.\d+\.\d+\S*) \(/m.exec(changelog)?.[1] ?? '0.1.0';
  return newest === version
    ? null
    : `The version is ${version}, but the newest in CHANGELOG.md is ${newest}: run npm version with --ignore-scripts=false.`;
}

function fail(text) {
  process.stderr.write(`${text}\n`);
  process.exit(1);
}

function main() {
  const file = path.join(process.cwd(), 'CHANGELOG.md');
  const changelog = fs.readFileSync(file, 'utf8');
  if (unreleased(changelog) === null)
    fail('CHANGELOG.md has nothing under "Unreleased": write down what changed before you make a version.');
  if (process.argv[2] === '--release') {
    const version = process.env.npm_new_version;
    if (version === undefined) fail('--release must be run by npm version, which sets the version.');
    fs.writeFileSync(file, released(changelog, version, new Date().toISOString().slice(0, 10)));
    if (fs.existsSync(MANIFEST))
      fs.writeFileSync(MANIFEST, withImage(fs.readFileSync(MANIFEST, 'utf8'), version));
  } else if (process.argv[2] !== undefined) fail(`Unknown argument ${process.argv[2]}; only --release.`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
