// The HTTP server under Fastify. One listener applies the rules that hold before a request is routed, in this order:
// requests of a connection one after the other, drain, overload.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Timeouts } from '../config/timeouts.ts';
import { handleUnrouted, followExchange } from './broken-requests.ts';
import { limitConnections, type ConnectionLimit } from './connections-per-address.ts';
import type { Drain } from './drain.ts';
import { serverOptions } from './options.ts';
import { whenOver } from './response-end.ts';
import type { SecurityHeaders } from './security-headers.ts';
import { isShed, type Overload } from './load-shedding.ts';

export interface ServerRules {
  timeouts: Timeouts;
  headers: SecurityHeaders;
  /** Connections over the limits are closed immediately; those that are open are served. */
  connections: ConnectionLimit & { max: number };
  drain: Drain;
  overload: Overload;
}

/** For Fastify's `serverFactory`. */
export const createHttpServer =
  (rules: ServerRules) =>
  (route: RequestListener): Server => {
    const { timeouts, headers, connections, drain, overload } = rules;
    const serve: RequestListener = (request, response) => {
      // During the drain every response carries "Connection: close".
      if (drain.isOn) response.shouldKeepAlive = false;
      if (!isShed(overload, headers, request, response)) route(request, response);
    };
    const server = createServer(serverOptions(timeouts), inTurn(serve));
    server.requestTimeout = timeouts.body_ms;
    server.maxConnections = connections.max;
    // A worker over its limit closes a connection. By default workers would pass it on to each other endlessly. Node's types
    // lack the member.
    Object.assign(server, { dropMaxConnection: true });
    limitConnections(server, connections);
    handleUnrouted(server, headers, timeouts.idle_connection_ms);
    return server;
  };

/** Requests of one connection that may wait. A client sends them faster than they are answered, and each takes 2 kB. */
const WAITING_REQUESTS_MAX = 1_000;

/**
 * Requests of one connection are processed in order. With HTTP pipelining a client sends several without waiting, and
 * Node emits them all at once: a lookup after an order could be answered with the stock from before the order. Node
 * reads on while a request is processed, so the connection is closed if too many wait.
 */
const inTurn = (serve: RequestListener): RequestListener => {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    const { socket } = request;
    const before = followExchange(request, response);
    if (!before || before.writableFinished) {
      serve(request, response);
      return;
    }
    const count = (waiting.get(socket) ?? 0) + 1;
    waiting.set(socket, count);
    if (count > WAITING_REQUESTS_MAX) {
      socket.destroy();
      return;
    }
    // If the client closes the connection, its pending requests are dropped.
    whenOver(request, before, () => {
      waiting.set(socket, (waiting.get(socket) ?? 1) - 1);
      if (!socket.destroyed) serve(request, response);
    });
  };
};
