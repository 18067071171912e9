// Runs commands in a process that has already loaded them: as src/start/cli.ts does, but without its start-up time of 0.25 s.
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '../../src/start/commands.ts';

export interface HostedCommand {
  args: readonly string[];
  env: Record<string, string>;
  cwd: string;
  input: string;
}

export interface HostedResult {
  code: number;
  stdout: string;
  stderr: string;
}

async function run({ args, env, cwd, input }: HostedCommand): Promise<HostedResult> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const streams = { stdin: Readable.from([Buffer.from(input)]), stdout, stderr };
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { value, configurable: true });
  const printed = Promise.all([text(stdout), text(stderr)]);
  const code = await runCli(args);
  stdout.end();
  stderr.end();
  const [out, err] = await printed;
  return { code, stdout: out, stderr: err };
}

process.on('message', (command: HostedCommand) => {
  void run(command).then((result) => process.send?.(result));
});
