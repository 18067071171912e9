// The PostgreSQL protocol, as far as a proxy needs it to break a connection at a chosen message.

const FRONTEND = {
  P: 'Parse',
  B: 'Bind',
  D: 'Describe',
  E: 'Execute',
  S: 'Sync',
  Q: 'Query',
  X: 'Terminate',
  p: 'Password',
} as const;

const BACKEND = {
  '1': 'ParseComplete',
  '2': 'BindComplete',
  T: 'RowDescription',
  n: 'NoData',
  D: 'DataRow',
  C: 'CommandComplete',
  E: 'ErrorResponse',
  Z: 'ReadyForQuery',
  A: 'NotificationResponse',
} as const;

type Names<T> = T[keyof T];
export type MessageName = Names<typeof FRONTEND> | Names<typeof BACKEND> | 'Startup' | 'other';

export interface PostgresMessage {
  name: MessageName;
  bytes: Buffer;
  /** The name of its prepared statement, or the text of a simple query; otherwise ''. */
  statement: string;
}

/** Splits a byte stream into messages. The first message of a client has a length but no type. */
class Splitter {
  #rest = Buffer.alloc(0);
  #typed: boolean;

  constructor(startsTyped: boolean) {
    this.#typed = startsTyped;
  }

  push(chunk: Buffer): { type: string; bytes: Buffer }[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const found: { type: string; bytes: Buffer }[] = [];
    for (;;) {
      const head = this.#typed ? 1 : 0;
      if (this.#rest.length < head + 4) return found;
      const length = head + this.#rest.readInt32BE(head);
      if (this.#rest.length < length) return found;
      const type = this.#typed ? this.#rest.toString('latin1', 0, 1) : '';
      found.push({ type, bytes: this.#rest.subarray(0, length) });
      this.#rest = this.#rest.subarray(length);
      this.#typed = true;
    }
  }
}

/** The zero-terminated strings after the type and the length. */
const textsOf = (bytes: Buffer): string[] => bytes.toString('latin1', 5).split('\0');

/** Both directions of one connection, without TLS. Answers arrive in the order of the requests. */
export class Conversation {
  readonly #client = new Splitter(false);
  readonly #server = new Splitter(true);
  #bound = '';
  /** Statements since the last Sync. */
  #asked: string[] = [];
  /** Statements up to each Sync whose ReadyForQuery has not arrived; answered ones are removed except the last. */
  readonly #open: string[][] = [];
  /** The client's application_name. */
  name = '';

  fromClient(chunk: Buffer): PostgresMessage[] {
    return this.#client.push(chunk).map(({ type, bytes }) => {
      if (type === '') {
        const settings = bytes.toString('latin1', 8).split('\0');
        this.name = settings[settings.indexOf('application_name') + 1] ?? '';
        return { name: 'Startup', bytes, statement: '' };
      }
      const name = FRONTEND[type as keyof typeof FRONTEND] ?? 'other';
      if (name === 'Parse' || name === 'Query') this.#bound = textsOf(bytes)[0] ?? '';
      if (name === 'Bind') this.#bound = textsOf(bytes)[1] ?? '';
      if (name === 'Bind' || name === 'Query') this.#asked.push(this.#bound);
      if (name === 'Sync' || name === 'Query') {
        this.#open.push(this.#asked);
        this.#asked = [];
      }
      return { name, bytes, statement: this.#bound };
    });
  }

  fromServer(chunk: Buffer): PostgresMessage[] {
    return this.#server.push(chunk).map(({ type, bytes }) => {
      const name = BACKEND[type as keyof typeof BACKEND] ?? 'other';
      const unanswered = this.#open[0] ?? [];
      const statement = (name === 'ReadyForQuery' ? unanswered.at(-1) : unanswered[0]) ?? '';
      if (name === 'CommandComplete' && unanswered.length > 1) unanswered.shift();
      if (name === 'ReadyForQuery') this.#open.shift();
      return { name, bytes, statement };
    });
  }
}
