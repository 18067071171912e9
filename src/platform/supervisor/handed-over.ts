// Connections that were handed to a worker and are not yet acknowledged. If the worker dies, node:cluster forgets them:
// they would stay open without an answer until the client gives up.
import type { Worker } from 'node:cluster';

interface Connection {
  /** Closing twice has no effect. */
  close: () => void;
}

/** The internal message of node:cluster. */
interface Handover {
  act?: string;
  /** Identifies the port. */
  key?: string;
}

type Send = (message: Handover, connection?: Connection, ...rest: unknown[]) => boolean;

export class HandedOver {
  /** By worker and port. One is enough: a worker gets the next connection of a port after acknowledging the last. */
  readonly #last = new Map<Worker, Map<string, Connection>>();

  watch(worker: Worker): void {
    const last = new Map<string, Connection>();
    this.#last.set(worker, last);
    // oxlint-disable-next-line typescript/consistent-type-assertions -- node's own messages and handles have no type.
    const sender = worker.process as unknown as { send: Send };
    const send = sender.send.bind(worker.process);
    sender.send = (message, connection, ...rest) => {
      if (message.act === 'newconn' && connection) last.set(message.key ?? '', connection);
      return send(message, connection, ...rest);
    };
  }

  /** Closes connections that a dead worker did not take, so that the client reconnects. */
  ended(worker: Worker, { isDead }: { isDead: boolean }): void {
    const last = this.#last.get(worker);
    this.#last.delete(worker);
    if (!isDead) return; // It has returned the connections that it did not take.
    for (const connection of last?.values() ?? []) connection.close();
  }
}
