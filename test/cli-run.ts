// The real command as a child process, as an operator's shell starts it; if a file runs the same command again, in a
// process that has already loaded it.
import assert from 'node:assert/strict';
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { bareEnvironment } from '../verify/kit/environment.ts';
import { createDatabase, type DatabaseOptions, type TestDatabase } from '../verify/kit/database.ts';
import { TEST_SECRET } from '../verify/kit/service.ts';
import type { HostedCommand, HostedResult } from './kit/cli-host.ts';
import { keep } from '../verify/kit/written.ts';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(ROOT, 'src', 'start', 'cli.ts');

export interface CliResult {
  code: number | null;
  stdout: string;
  stderr: string;
  // Untyped for assertions: a wrong access fails the assertion.
  json(): any;
}

export interface CliOptions {
  env?: Record<string, string>;
  input?: string | Uint8Array;
  cwd?: string;
  command?: readonly string[];
}

/** Only the given variables reach the command, not the machine's own settings. */
export async function sluice(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const [program = '', ...prefix] = options.command ?? [process.execPath, CLI];
  const child = spawn(program, [...prefix, ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...bareEnvironment(), ...options.env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
  child.stdin.on('error', () => {}); // it may exit without reading everything
  child.stdin.end(options.input ?? '');
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  keep('commands', stderr); // requested keys and passwords are on standard output
  return { code, stdout, stderr, json: () => JSON.parse(stdout) as unknown };
}

const HOST = fileURLToPath(new URL('kit/cli-host.ts', import.meta.url));
let host: ChildProcess | null = null;
let isBusy = false;

/** Runs the command in a process that ran others before. One at a time: a concurrent one gets its own process. */
export async function sluiceAgain(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const { command, cwd = ROOT, env = {}, input = '' } = options;
  if (isBusy || command !== undefined || typeof input !== 'string') return sluice(args, options);
  isBusy = true;
  const running = (host ??= fork(HOST, {
    env: bareEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  }));
  running.unref();
  running.channel?.ref();
  try {
    const message: HostedCommand = { args, env: { ...bareEnvironment(), ...env }, cwd, input };
    running.send(message);
    const result = await answerOf(running, args);
    keep('commands', result.stderr);
    return { ...result, json: () => JSON.parse(result.stdout) as unknown };
  } finally {
    running.channel?.unref();
    isBusy = false;
  }
}

const answerOf = (running: ChildProcess, args: readonly string[]): Promise<HostedResult> =>
  new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => {
      host = null;
      reject(new Error(`the process that runs commands ended with ${code}: ${args.join(' ')}`));
    };
    running.once('exit', onExit);
    running.once('message', (result: HostedResult) => {
      running.off('exit', onExit);
      resolve(result);
    });
  });

export interface CliBench {
  database: TestDatabase;
  env: Record<string, string>;
  /** Fails the test unless the command exits with 0. */
  ok(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  run(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  rows(sql: string, values?: unknown[]): Promise<any[]>;
  count(table: string): Promise<number>;
  file(name: string, content: string | Uint8Array): Promise<string>;
}

/** A separate database and directory, removed after the file's tests. Call it at the top of a test file. */
export async function cliBench(kind: DatabaseOptions = {}): Promise<CliBench> {
  const database = await createDatabase(kind);
  const directory = await mkdtemp(join(tmpdir(), 'sluice-cli-'));
  const pool = new pg.Pool({ connectionString: database.tamperUrl });
  // Ending the pool does not wait for its connections to close, and dropping the database terminates them.
  pool.on('error', () => {});
  after(async () => {
    await pool.end();
    await database.drop();
    await rm(directory, { recursive: true, force: true });
  });
  const env = { DATABASE_URL: database.url, SLUICE_SECRET: TEST_SECRET };
  const seen = new Set<string>();
  const run: CliBench['run'] = (args, options = {}) => {
    const command = args.slice(0, 2).join(' ');
    const again = seen.has(command);
    seen.add(command);
    return (again ? sluiceAgain : sluice)(args, { ...options, env: { ...env, ...options.env } });
  };
  const rows: CliBench['rows'] = async (sql, values = []) => (await pool.query(sql, values)).rows;
  return {
    database,
    env,
    run,
    async ok(args, options) {
      const result = await run(args, options);
      assert.equal(result.code, 0, `${args.join(' ')}\n${result.stdout}${result.stderr}`);
      return result;
    },
    rows,
    count: async (table) => Number((await rows(`select count(*) as n from ${table}`))[0]?.n),
    async file(name, content) {
      const path = join(directory, name);
      await writeFile(path, content);
      return path;
    },
  };
}

export const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');
