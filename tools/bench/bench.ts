// Starts everything a run needs: database with its catalogue, service, baselines, load generator.
import { randomBytes } from 'node:crypto';
import type { BaselineReply, BaselineSetup } from './baselines.ts';
import { addChannel, fillCatalogue, type BenchChannel } from './catalogue.ts';
import type { Cleanup } from './cleanup.ts';
import { startDatabase, withClient, type Database } from './database.ts';
import { startGuardian } from './guardian.ts';
import type { Job, LoadResult, Reply } from './job.ts';
import type { Options } from './options.ts';
import type { ServiceProcess } from '../../verify/kit/process.ts';
import { startBenchService, startHelper, type ServiceSetup } from './processes.ts';

export const VARIANTS = 100_000;
export const MAIN = 'sluice';
/**
 * The baselines use a copy of the same data. In one database they would run on tables that the service has filled with
 * far more orders than they create themselves.
 */
export const COPY = 'sluice_baseline';

/** The target of a load. */
export interface Aim {
  port: number;
  pid: number;
}

export interface Bench {
  options: Options;
  signal: AbortSignal;
  cleanup: Cleanup;
  database: Database;
  channel: BenchChannel;
  service: ServiceProcess;
  /** Faults that make the run invalid. */
  faults: string[];
  secret: string;
  admin_token: string;
  /** `workers`: defaults to the number in the options. */
  startService(databaseName: string, workers?: number, env?: ServiceSetup['env']): Promise<ServiceProcess>;
  load(job: Job): Promise<LoadResult>;
  /** A new prefix for the order numbers of one run. */
  nextPrefix(): string;
}

export interface Baselines extends Aim {
  list_bytes: number;
}

/** Prints progress with the seconds since the start. */
export const say = (text: string): void =>
  console.error(
    `${Math.floor(performance.now() / 1000)
      .toString()
      .padStart(4)} s  ${text}`,
  );

/** `env`: environment variables of the first service. */
export async function startBench(
  options: Options,
  cleanup: Cleanup,
  signal: AbortSignal,
  env: ServiceSetup['env'] = {},
): Promise<Bench> {
  say('starting PostgreSQL (fsync on, synchronous_commit on) in a temporary directory');
  const guardian = await startGuardian();
  cleanup.add('guardian', () => guardian.dismiss());
  const database = await startDatabase(options, { cleanup, guardian }, signal);
  const secret = randomBytes(32).toString('base64');
  const admin_token = randomBytes(32).toString('base64url');
  say(`filling the catalogue: ${VARIANTS.toLocaleString('en')} variants`);
  const channel = await makeCatalogue(database, MAIN, secret, VARIANTS);
  if (!options.soak) await database.clone(COPY, MAIN);
  await database.checkpoint();

  const start: Bench['startService'] = async (name, workers = options.workers, more = {}) => {
    const { profile } = options;
    const setup = { database_url: database.urlOf(name), secret, admin_token, profile, workers, env: more };
    const service = await startBenchService(setup, guardian);
    cleanup.add('service', () => service.stop());
    return service;
  };
  say('starting service and load generator');
  const service = await start(MAIN, options.workers, env);
  const generator = startHelper('load.ts', signal);
  cleanup.add('load generator', () => generator.stop());
  let prefixes = 0;
  return {
    options,
    signal,
    cleanup,
    database,
    channel,
    service,
    faults: [],
    secret,
    admin_token,
    startService: start,
    async load(job) {
      const reply = await generator.ask<Reply>(job);
      if (!reply.ok) throw new Error(`the load generator failed: ${reply.error}`);
      return reply.result;
    },
    nextPrefix: () => `B${String(++prefixes).padStart(5, '0')}`,
  };
}

export async function makeCatalogue(
  database: Database,
  name: string,
  secret: string,
  variants: number,
): Promise<BenchChannel> {
  await database.create(name);
  return withClient(database.urlOf(name), async (client) => {
    const channel = await addChannel(client, secret, 'bench');
    await fillCatalogue(client, channel.id, variants);
    return channel;
  });
}

export async function startBaselines(bench: Bench): Promise<Baselines> {
  say('starting the baselines (echo, static, rowlock, rowlist)');
  const helper = startHelper('baselines.ts', bench.signal);
  bench.cleanup.add('baselines', () => helper.stop());
  const reply = await helper.ask<BaselineReply>({
    database_url: bench.database.urlOf(COPY),
    service_origin: bench.service.origin,
    api_key: bench.channel.key,
    channel_id: bench.channel.id,
    variants: VARIANTS,
    workers: bench.options.workers,
  } satisfies BaselineSetup);
  if (!reply.ok) throw new Error(`the baselines did not start: ${reply.error}`);
  return { port: reply.port, pid: helper.pid, list_bytes: reply.list_bytes };
}
