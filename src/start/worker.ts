// One of several processes that serve the port. The supervisor controls it, and it ends when the supervisor ends.
import { flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readConfig } from '../platform/config/config.ts';
import type { OtherWorkers, Question, Topic } from '../platform/supervisor/other-workers.ts';
import { createLogger } from '../platform/log/log.ts';
import { openSecrets } from '../platform/secrets/secret.ts';
import { createService, type Service } from './service.ts';
import { explainFailure } from './start-failure.ts';
import { stopInTime } from './stop.ts';
import type { FromWorker, ToWorker } from '../platform/supervisor/messages.ts';
import { shareOf } from '../platform/supervisor/share.ts';

const PROJECT_DIR = fileURLToPath(new URL('../..', import.meta.url));
/** Probes are reported at most this often, because the supervisor measures their interval in seconds. */
const PROBED_EVERY_MS = 1_000;

// Ignored, because a terminal or service manager sends signals to every process. The supervisor decides when to stop.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
// Without its supervisor, nothing would stop this process.
process.once('disconnect', () => process.exit());

const tell = (message: FromWorker): void => void process.send?.(message);

class Others implements OtherWorkers {
  readonly #asked = new Map<number, (answers: readonly never[]) => void>();
  #last = 0;
  #probed_ms = -Infinity;

  ask<Said>({ about }: Topic<Said, unknown>, said: Said): Promise<readonly never[]> {
    const id = (this.#last += 1);
    const question = { about, said };
    return new Promise((resolve) => {
      this.#asked.set(id, resolve);
      tell({ kind: 'question', id, question });
    });
  }

  answered(id: number, answers: readonly never[]): void {
    this.#asked.get(id)?.(answers);
    this.#asked.delete(id);
  }

  probed(): void {
    const now = performance.now();
    if (now - this.#probed_ms < PROBED_EVERY_MS) return;
    this.#probed_ms = now;
    tell({ kind: 'probed' });
  }
}

const others = new Others();
const hurry = new AbortController();
/** Aborted by a second stop message: the whole service stops, and the worker no longer waits for open connections. */
const lingered = new AbortController();
let isStopping = false;
let isReady = false;
let serving: Promise<Service> | null = null;

async function start({
  url,
  workers,
  pool_connections,
}: Extract<ToWorker, { kind: 'start' }>): Promise<Service> {
  const config = shareOf({ ...readConfig(process.env, PROJECT_DIR), workers });
  const logger = createLogger(config.log_level, { time: config.log_time });
  const secret = await openSecrets(config);
  const service = await createService(config, { url, secret, pool_connections }, logger, others);
  const origin = await service.listen();
  isReady = true;
  tell({ kind: 'ready', origin, internal_origin: service.internalOrigin() });
  // Stores compiled code, so that the next start is faster and uses less memory.
  flushCompileCache();
  return service;
}

async function stop(times: { drain_ms: number; linger_ms: number }): Promise<void> {
  // Before it is ready it serves nothing, and may be waiting for a database that does not respond.
  const service = isReady ? await serving : null;
  if (service) {
    await stopInTime(service, { ...times, lingered: lingered.signal, hurry: hurry.signal });
    const last: FromWorker = { kind: 'metrics', metrics: await service.services.metrics.snapshot() };
    await new Promise((resolve) => {
      process.send?.(last, undefined, undefined, resolve);
    });
  }
  process.exit();
}

/** The supervisor sends `lead` and `question` only to workers that are ready. */
async function lead(): Promise<void> {
  (await serving)?.lead();
}

async function answer(id: number, { about, said }: Question<never>): Promise<void> {
  const service = await serving;
  // null: this worker cannot answer, and the asking worker continues without its answer.
  const given = await service?.services.answers.answer(about, said).catch(() => null);
  tell({ kind: 'answer', id, answer: given ?? null });
}

process.on('message', (message: ToWorker<never>) => {
  switch (message.kind) {
    case 'start':
      serving = start(message);
      serving.catch((error: unknown) => {
        const failed: FromWorker = { kind: 'failed', message: explainFailure(error) };
        process.send?.(failed, undefined, undefined, () => process.exit(1));
      });
      break;
    case 'lead':
      void lead();
      break;
    case 'stop':
      if (isStopping) {
        lingered.abort();
        break;
      }
      isStopping = true;
      stop(message).catch((error: unknown) => {
        console.error(error);
        process.exit(1);
      });
      break;
    case 'hurry':
      hurry.abort();
      break;
    case 'question':
      void answer(message.id, message.question);
      break;
    case 'answers':
      others.answered(message.id, message.answers);
      break;
  }
});
