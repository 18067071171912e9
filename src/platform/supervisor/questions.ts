// Carries a worker's questions to all other workers, and their answers back.
import type { Worker } from 'node:cluster';
import { METRICS, type Question } from './other-workers.ts';
import type { ToWorker } from './messages.ts';
import { RetiredMetrics } from './retired-metrics.ts';

/** Workers that need longer to answer are left out. */
const ANSWER_MS_MAX = 2_000;

interface Asked {
  readonly asker: Worker;
  /** The number that the asking worker gave to the question. */
  readonly id: number;
  readonly about: string;
  readonly waiting: Set<Worker>;
  readonly answers: unknown[];
  readonly timer: NodeJS.Timeout;
}

export class Questions {
  readonly #others: (than: Worker) => Worker[];
  readonly #send: (worker: Worker, message: ToWorker) => void;
  readonly #asked = new Map<number, Asked>();
  readonly retired = new RetiredMetrics<Worker>();
  #last = 0;

  constructor(others: (than: Worker) => Worker[], send: (worker: Worker, message: ToWorker) => void) {
    this.#others = others;
    this.#send = send;
  }

  ask(asker: Worker, id: number, question: Question): void {
    const others = this.#others(asker);
    const own = (this.#last += 1);
    const timer = setTimeout(() => this.#finish(own), ANSWER_MS_MAX);
    const { about } = question;
    if (about === METRICS.about && Array.isArray(question.said)) this.retired.saw(asker, question.said);
    this.#asked.set(own, { asker, id, about, waiting: new Set(others), answers: [], timer });
    for (const worker of others) this.#send(worker, { kind: 'question', id: own, question });
    if (others.length === 0) this.#finish(own);
  }

  answered(worker: Worker, id: number, answer: unknown): void {
    const asked = this.#asked.get(id);
    if (!asked?.waiting.delete(worker)) return;
    if (answer !== null) asked.answers.push(answer);
    if (asked.about === METRICS.about && Array.isArray(answer)) this.retired.saw(worker, answer);
    if (asked.waiting.size === 0) this.#finish(id);
  }

  /** Called when a worker has ended. */
  gone(worker: Worker): void {
    this.retired.ended(worker);
    for (const [id, { waiting }] of this.#asked)
      if (waiting.delete(worker) && waiting.size === 0) this.#finish(id);
  }

  #finish(own: number): void {
    const asked = this.#asked.get(own);
    if (!asked) return;
    clearTimeout(asked.timer);
    this.#asked.delete(own);
    const answers = asked.about === METRICS.about ? [...asked.answers, this.retired.all()] : asked.answers;
    this.#send(asked.asker, { kind: 'answers', id: asked.id, answers });
  }
}
