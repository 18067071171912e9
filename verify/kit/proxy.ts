// A TCP proxy between the service and PostgreSQL that breaks a connection at a chosen protocol message.
import { createServer, connect, type Socket } from 'node:net';
import { Conversation, type PostgresMessage, type MessageName } from './postgres-protocol.ts';
import { listen } from './ports.ts';

export const PROXY_FAULTS = {
  cut: 'both sides are closed; the server gets what was forwarded',
  reset: 'both sides are reset; data in transit is lost',
  deaf: 'nothing more is forwarded to the server, but its answers to earlier messages are; then both sides are closed',
  stall: 'nothing is forwarded in either direction, and no side is closed',
  late: 'like stall, but what the service sent reaches the server after the service has timed out',
  delay: 'everything is delayed for a moment',
} as const;
export type ProxyFault = keyof typeof PROXY_FAULTS;

/** How much of the message is forwarded. */
export type Share = 'none' | 'half' | 'all';

export interface Strike {
  /** application_name of the connection; any if not given. */
  connection?: string;
  statement: string;
  message: MessageName;
  share: Share;
  fault: ProxyFault;
  /** How long a delay or one-way stall lasts, and after how long a late message arrives. */
  hold_ms?: number;
}

export type Proxy = Awaited<ReturnType<typeof startProxy>>;

const HOLD_MS = 300;

interface Armed {
  strike: Strike;
  struck: () => void;
}

/** A connection from the service, and its connection to the server. */
class Link {
  readonly conversation = new Conversation();
  readonly client: Socket;
  readonly upstream: Socket;
  /** Data buffered while nothing is forwarded. */
  #held: { to: Socket; bytes: Buffer }[] | null = null;
  #late_ms: number | null = null;
  #isDeaf = false;

  constructor(client: Socket, upstream: Socket) {
    this.client = client;
    this.upstream = upstream;
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      socket.on('error', () => socket.destroy());
    }
    upstream.on('close', () => {
      // While nothing is forwarded, the end of the connection is not either.
      if (this.#held === null) client.destroy();
    });
    client.on('close', () => this.#clientGone());
  }

  send(to: Socket, bytes: Buffer): void {
    if (this.#isDeaf && to === this.upstream) return;
    if (this.#held) this.#held.push({ to, bytes });
    else if (to.writable) to.write(bytes);
  }

  hold(): void {
    this.#held ??= [];
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = null;
    for (const { to, bytes } of held) this.send(to, bytes);
    if (this.upstream.destroyed) this.client.destroy();
  }

  break({ fault, hold_ms = HOLD_MS }: Strike): void {
    switch (fault) {
      case 'cut':
        this.client.destroy();
        this.upstream.end();
        return;
      case 'reset':
        this.client.resetAndDestroy();
        this.upstream.resetAndDestroy();
        return;
      case 'deaf':
        this.#isDeaf = true;
        setTimeout(() => this.destroy(), hold_ms);
        return;
      case 'stall':
        this.hold();
        return;
      case 'late':
        this.hold();
        this.#late_ms = hold_ms;
        return;
      case 'delay':
        this.hold();
        setTimeout(() => this.release(), hold_ms);
    }
  }

  #clientGone(): void {
    if (this.#held === null) {
      this.upstream.end();
      return;
    }
    if (this.#late_ms === null) {
      this.upstream.destroy();
      return;
    }
    setTimeout(() => {
      this.release();
      this.upstream.end();
    }, this.#late_ms);
  }

  destroy(): void {
    this.#held = null;
    this.client.destroy();
    this.upstream.destroy();
  }
}

const isMeant = (strike: Strike, link: Link, message: PostgresMessage): boolean =>
  strike.message === message.name &&
  strike.statement === message.statement &&
  (strike.connection === undefined || strike.connection === link.conversation.name);

const SHARES: Record<Share, number> = { none: 0, half: 0.5, all: 1 };

export async function startProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const links = new Set<Link>();
  let isCut = false;
  let isFrozen = false;
  let lag_ms = 0;
  let armed: Armed | null = null;

  const pass = (link: Link, to: Socket, messages: readonly PostgresMessage[]): void => {
    for (const message of messages) {
      if (!armed || !isMeant(armed.strike, link, message)) {
        link.send(to, message.bytes);
        continue;
      }
      const { strike, struck } = armed;
      armed = null;
      const letThrough = Math.floor(message.bytes.length * SHARES[strike.share]);
      if (letThrough > 0) link.send(to, message.bytes.subarray(0, letThrough));
      link.break(strike);
      if (letThrough < message.bytes.length) link.send(to, message.bytes.subarray(letThrough));
      struck();
    }
  };

  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const link = new Link(client, connect(Number(target.port), target.hostname));
    if (isFrozen) link.hold();
    links.add(link);
    link.upstream.on('close', () => links.delete(link));
    const later = (forward: () => void): void => {
      if (lag_ms > 0) setTimeout(forward, lag_ms);
      else forward();
    };
    client.on('data', (chunk) => later(() => pass(link, link.upstream, link.conversation.fromClient(chunk))));
    link.upstream.on('data', (chunk) => later(() => pass(link, client, link.conversation.fromServer(chunk))));
  });
  const url = new URL(databaseUrl);
  url.port = String(await listen(server));

  const named = (name: string): Link[] => [...links].filter(({ conversation }) => conversation.name === name);
  return {
    /** The database's address, through the proxy. */
    url: url.href,
    /** Strikes once, at the next matching message, and then resolves. A new strike replaces a pending one. */
    strike: (strike: Strike) =>
      new Promise<void>((struck) => {
        armed = { strike, struck };
      }),
    disarm: () => {
      armed = null;
    },
    /** Refuses new connections and closes the open ones until `restore`. */
    cut: () => {
      isCut = true;
      for (const link of links) link.destroy();
    },
    restore: () => {
      isCut = false;
    },
    /** Closes the open connections with this name. */
    drop: (connection: string) => {
      for (const link of named(connection)) link.destroy();
    },
    /** Stops forwarding on the open connections with this name. */
    freeze: (connection: string) => {
      for (const link of named(connection)) link.hold();
    },
    /** Stops forwarding on all connections, including new ones, until `thaw`. */
    freezeAll: () => {
      isFrozen = true;
      for (const link of links) link.hold();
    },
    /** The open connections of clients. */
    connections: () => [...links].filter(({ client }) => !client.destroyed).length,
    /** Delays everything that is sent from now on, in both directions. */
    slowDown: (ms: number) => {
      lag_ms = ms;
    },
    thaw: () => {
      isFrozen = false;
      for (const link of links) link.release();
    },
    close: () =>
      new Promise<void>((resolve) => {
        for (const link of links) link.destroy();
        server.close(() => resolve());
      }),
  };
}
