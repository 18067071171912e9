// The service of the sandbox and its reset: an ordinary service whose database can be restored to the initial
// state.
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import type { Config } from '../../src/platform/config/config.ts';
import type { OpenApiDocument } from '../../src/platform/docs/document.ts';
import { expireOrders } from '../../src/features/prepayment-expiry/job.ts';
import { createSealer, type SecretSource } from '../../src/platform/secrets/keys.ts';
import { createService, type Service } from '../../src/start/service.ts';
import type { EmbeddedServer } from '../../src/platform/embedded-postgres/server.ts';
import { readMigrations } from '../../src/platform/database/migrations.ts';
import { Databases } from './databases.ts';
import { operationsOf, type Operation } from './operations.ts';
import type { ForwardedRequest } from './passing.ts';
import { Recorder } from './recorder.ts';
import { seed } from './seed.ts';

/** How long a reset waits for requests in flight before it aborts them. */
const IN_FLIGHT_MS = 5_000;

export interface HouseOptions {
  /** Listens on a separate port, loopback only. */
  config: Config;
  server: EmbeddedServer;
  secret: SecretSource;
  /** The password of the console's account. */
  password: string;
  logger: FastifyBaseLogger;
  /** Progress of the start. */
  tell: (step: string) => void;
}

/** The service that requests are forwarded to. */
export interface RunningService {
  service: Service;
  origin: URL;
  agent: Agent;
  operations: readonly Operation[];
  /** The OpenAPI document of the channel API. */
  document: OpenApiDocument;
}

export class House {
  readonly recorder = new Recorder();
  readonly #options: HouseOptions;
  readonly #databases: Databases;
  /** null: a reset is running or has failed. */
  #running: RunningService | null = null;
  #resetting: Promise<void> | null = null;
  readonly #inFlight = new Set<ForwardedRequest>();

  private constructor(options: HouseOptions, databases: Databases) {
    this.#options = options;
    this.#databases = databases;
  }

  static async open(options: HouseOptions): Promise<House> {
    const { server, config, tell } = options;
    const databases = new Databases(server, config.data_dir, await versionOf(options));
    await databases.ensureInitial((url) => makeInitial(options, url));
    const house = new House(options, databases);
    tell('starting the service…');
    if (await databases.isWhole()) house.#running = await house.#start();
    else await house.reset();
    return house;
  }

  /** null during a reset and after a failed one. */
  get running(): RunningService | null {
    return this.#running;
  }

  /** Registers a request that a reset has to wait for. */
  pass(request: ForwardedRequest): void {
    this.#inFlight.add(request);
    void request.finished.then(() => this.#inFlight.delete(request));
  }

  /** Concurrent calls share one reset; no request is accepted before it ends. */
  reset(): Promise<void> {
    return (this.#resetting ??= this.#reset().finally(() => (this.#resetting = null)));
  }

  /** Advances the time. Orders that have expired by then are cancelled before this resolves. */
  async travel(seconds: number): Promise<void> {
    await this.#databases.age(seconds);
    const { services } = this.#running?.service ?? {};
    if (services)
      await expireOrders.run({ ...services, log: this.#options.logger }, new AbortController().signal);
  }

  async close(): Promise<void> {
    await this.#resetting?.catch(() => {});
    await this.#stop();
  }

  async #reset(): Promise<void> {
    const leaving = this.#stop();
    // Wait for both, so that the shutdown is not still running when `beginReset` fails.
    const [left, begun] = await Promise.allSettled([leaving, this.#databases.beginReset()]);
    for (const one of [left, begun]) if (one.status === 'rejected') throw one.reason;
    await this.#databases.endReset();
    this.recorder.clear();
    this.#running = await this.#start();
  }

  async #start(): Promise<RunningService> {
    const { config, secret, logger } = this.#options;
    const service = await createService(config, { url: this.#databases.url, secret }, logger);
    const origin = new URL(await service.listen());
    const answer = await fetch(new URL('/api/v1/openapi.json', origin));
    const document = (await answer.json()) as OpenApiDocument;
    const operations = operationsOf(document);
    return { service, origin, agent: new Agent({ keepAlive: true }), operations, document };
  }

  async #stop(): Promise<void> {
    const running = this.#running;
    this.#running = null;
    const timeout = AbortSignal.timeout(IN_FLIGHT_MS);
    const finished = Promise.all([...this.#inFlight].map((request) => request.finished));
    await Promise.race([finished, once(timeout, 'abort')]);
    for (const request of this.#inFlight) request.abort();
    running?.agent.destroy();
    await running?.service.stop();
  }
}

async function makeInitial(options: HouseOptions, url: string): Promise<void> {
  const { secret, logger, password, tell } = options;
  tell('creating the test data (once, about half a minute)…');
  const token = randomUUID();
  const service = await createService({ ...options.config, admin_token: token }, { url, secret }, logger);
  try {
    await seed(service, await service.listen(), token, password);
  } finally {
    await service.stop();
  }
}

/** The initial state depends on the schema, the test data, the secret and the password. */
async function versionOf({ secret, password }: HouseOptions): Promise<string> {
  const sources = ['seed.ts', 'seed-data.ts'].map((name) => readFile(new URL(name, import.meta.url), 'utf8'));
  const parts = [
    ...(await readMigrations()).map(({ checksum }) => checksum),
    ...(await Promise.all(sources)),
    await createSealer(secret).current(),
    password,
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}
