// `npm run sbom [-- FILE]`: the software bill of materials, CycloneDX 1.6, from package-lock.json alone: the same lock
// file gives the same bytes on every machine, and nothing has to be installed or asked for.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';

/** What is read of package-lock.json. */
interface Entry {
  name?: string;
  version: string;
  integrity?: string;
  resolved?: string;
  license?: string;
  dev?: boolean;
  optional?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}
export interface Lock {
  packages: Record<string, Entry>;
}

interface Manifest {
  name: string;
  version: string;
  license: string;
}

interface Component {
  type: string;
  'bom-ref': string;
  name: string;
  version: string;
  scope?: string;
  hashes?: { alg: string; content: string }[];
  licenses?: object[];
  purl: string;
}
export interface Sbom {
  bomFormat: string;
  specVersion: string;
  version: number;
  metadata: { component: Component };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string): unknown => JSON.parse(fs.readFileSync(path.join(root, file), 'utf8'));

export const nameAt = (place: string): string =>
  place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

export const purlOf = (name: string, version: string): string =>
  `pkg:npm/${name.replace(/^@/, '%40')}@${version}`;

/** `sha512-<base64>`, perhaps several: the form npm checks every download against. */
const hashesOf = (integrity = ''): { alg: string; content: string }[] =>
  integrity
    .split(/\s+/)
    .filter((one) => one.startsWith('sha512-'))
    .map((one) => ({ alg: 'SHA-512', content: Buffer.from(one.slice(7), 'base64').toString('hex') }));

/** An SPDX id or an expression; in a list of licences the two are written differently. */
const licensesOf = (license: string | undefined): { licenses?: object[] } => {
  if (typeof license !== 'string') return {};
  return { licenses: [/\s/.test(license) ? { expression: license } : { license: { id: license } }] };
};

/** Where `name` is found from `place`, as Node looks for it: beside, then further and further out. */
function resolve(packages: Lock['packages'], place: string, name: string): string | undefined {
  const at = `${place === '' ? '' : `${place}/`}node_modules/${name}`;
  if (packages[at] !== undefined) return at;
  const outside = place.slice(0, Math.max(0, place.lastIndexOf('/node_modules/')));
  return place === '' ? undefined : resolve(packages, outside, name);
}

function dependsOn(packages: Lock['packages'], place: string, entry: Entry): string[] {
  const names = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies });
  if (place === '') names.push(...Object.keys(entry.devDependencies ?? {}));
  const found = names.flatMap((name) => resolve(packages, place, name) ?? []);
  return [...new Set(found.map((at) => refOf(packages, at)))].toSorted();
}

/** Two copies of one version, in different places, are one component. */
const refOf = (packages: Lock['packages'], place: string): string => {
  const { name, version = '' } = packages[place] ?? {};
  return purlOf(place === '' ? (name ?? '') : nameAt(place), version);
};

export function makeSbom(): Sbom {
  const lock = read('package-lock.json') as Lock;
  const manifest = read('package.json') as Manifest;
  const { name, version } = manifest;
  const packages = { ...lock.packages, '': { ...lock.packages[''], name, version } };
  const components = new Map<string, Component>();
  const dependencies = new Map<string, string[]>();
  for (const [place, entry] of Object.entries(packages)) {
    const ref = refOf(packages, place);
    const found = dependencies.get(ref) ?? [];
    dependencies.set(ref, [...new Set([...found, ...dependsOn(packages, place, entry)])].toSorted());
    if (place === '') continue;
    const scope = entry.dev ? 'excluded' : entry.optional ? 'optional' : 'required';
    components.set(ref, {
      type: 'library',
      'bom-ref': ref,
      name: nameAt(place),
      version: entry.version,
      scope: components.get(ref)?.scope === 'required' ? 'required' : scope,
      hashes: hashesOf(entry.integrity),
      ...licensesOf(entry.license),
      purl: ref,
    });
  }
  const own = refOf(packages, '');
  const byRef = ([a]: [string, unknown], [b]: [string, unknown]): number => (a < b ? -1 : 1);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': own,
        name,
        version,
        ...licensesOf(manifest.license),
        purl: own,
      },
    },
    components: [...components].toSorted(byRef).map(([, component]) => component),
    dependencies: [...dependencies].toSorted(byRef).map(([ref, all]) => ({ ref, dependsOn: all })),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file, ...extra] = process.argv.slice(2);
  if (extra.length > 0 || file?.startsWith('-')) {
    process.stderr.write('Usage: npm run sbom [-- FILE]\n');
    process.exit(2);
  }
  const text = `${JSON.stringify(makeSbom(), null, 2)}\n`;
  if (file === undefined) process.stdout.write(text);
  else fs.writeFileSync(file, text);
}
