// How `npm start` starts the service, read from package.json: the benchmark, the drills and the demo start the same.
import { readFileSync } from 'node:fs';

const START = /exec env ((?:\w+=\S+ )+)node_modules\/\.bin\/node (.*)src\/main\.ts$/;

function read(): { env: Record<string, string>; args: string[] } {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8');
  const { scripts } = JSON.parse(text) as { scripts: { start: string } };
  const [, settings, flags] = START.exec(scripts.start) ?? [];
  if (settings === undefined || flags === undefined)
    throw new Error(`npm start is not as expected: ${scripts.start}`);
  const env = Object.fromEntries(
    settings
      .trim()
      .split(' ')
      .map((setting) => setting.split('=') as [string, string]),
  );
  return { env, args: [...flags.split(' ').filter((flag) => flag !== ''), 'src/main.ts'] };
}

/** Settings of the allocator, and Node's flags in front of the file. */
export const SERVICE_COMMAND = read();
