// Runs the programs of docs/channels in a separate directory, with the variables that the pages name.
import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import type { Environment, Example } from './doc-examples.ts';
import { bareEnvironment } from '../../verify/kit/environment.ts';
import { freePort } from '../../verify/kit/ports.ts';
import { until } from '../../verify/kit/until.ts';

const CLIENT = new URL('../../clients/typescript/src/index.ts', import.meta.url).href;
const EXAMPLE_MS_MAX = 60_000;
const SERVER_PORT = '9000';

const execute = promisify(execFile);

const PROGRAMS: Record<string, { file: string; command: string; arguments: string[] }> = {
  sh: { file: 'example.sh', command: 'bash', arguments: ['-eu'] },
  ts: { file: 'example.mts', command: process.execPath, arguments: [] },
  python: { file: 'example.py', command: 'python3', arguments: [] },
  php: { file: 'example.php', command: 'php', arguments: [] },
};

const PROBES: Record<string, { what: string; command: string; arguments: string[] }> = {
  python: { what: 'Python', command: 'python3', arguments: ['--version'] },
  php: {
    what: 'PHP with its curl extension',
    command: 'php',
    arguments: ['-r', 'exit(function_exists("curl_init") ? 0 : 1);'],
  },
};
const probed = new Map<string, Promise<boolean>>();

/** Why examples in a language cannot run here; false if they can. */
export async function missing(language: string): Promise<string | false> {
  const probe = PROBES[language];
  if (!probe) return false;
  const found = probed.get(language) ?? canExecute(probe.command, probe.arguments);
  probed.set(language, found);
  return (await found) ? false : `${probe.what} is not installed`;
}

const canExecute = (command: string, args: string[]): Promise<boolean> =>
  execute(command, args).then(
    () => true,
    () => false,
  );

/** The helper that a reader copies next to a program. */
const COPIED: Record<string, string> = { python: 'python/sluice.py', php: 'php/Sluice.php' };

/** The examples of one run share a directory, as for a reader. */
export async function runProgram(
  { language, code }: Example,
  directory: string,
  env: Environment,
): Promise<string> {
  const program = PROGRAMS[language];
  assert.ok(program, `no way to run ${language}`);
  const file = join(directory, program.file);
  await writeFile(file, code.replaceAll("'sluice-client'", `'${CLIENT}'`));
  const copied = COPIED[language];
  if (copied !== undefined)
    await copyFile(new URL(`../../clients/${copied}`, import.meta.url), join(directory, basename(copied)));
  const { stdout, stderr } = await execute(program.command, [...program.arguments, file], {
    cwd: directory,
    env: { ...bareEnvironment(), ...env },
    timeout: EXAMPLE_MS_MAX,
  });
  assert.equal(stderr, '');
  return stdout;
}

export async function inDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-docs-'));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Starts a page's server on a free port, waits until it listens, and stops it after `work`. */
export async function whileServing(
  { language, code }: Example,
  env: Environment,
  work: (origin: string, port: string) => Promise<void>,
): Promise<void> {
  await inDirectory(async (directory) => {
    const port = String(await freePort());
    const program = PROGRAMS[language];
    assert.ok(program);
    const file = join(directory, program.file);
    await writeFile(file, code.replaceAll(SERVER_PORT, port));
    const args = language === 'php' ? ['-S', `127.0.0.1:${port}`, file] : [file];
    const server = spawn(program.command, args, {
      env: { ...bareEnvironment(), ...env },
      stdio: 'ignore',
    });
    try {
      await listening(server, `http://127.0.0.1:${port}/`);
      await work(`http://127.0.0.1:${port}/`, port);
    } finally {
      const ended = new Promise((resolve) => void server.once('exit', resolve));
      if (server.exitCode === null && server.kill('SIGKILL')) await ended;
    }
  });
}

export const onPort = (example: Example, port: string): Example => ({
  ...example,
  code: example.code.replaceAll(SERVER_PORT, port),
});

async function listening(server: ChildProcess, url: string): Promise<void> {
  await until(() => {
    assert.equal(server.exitCode, null, 'the server ended');
    return fetch(url).then(
      () => true,
      () => false,
    );
  }, 'the server listens');
}
