// Metrics of requests and connections of all clients.
import { Counter, Gauge, type Registry } from 'prom-client';
import { DurationHistogram, SECONDS_BOUNDS } from './duration-histogram.ts';

export interface HttpMetrics {
  request(method: string, route: string, status: number, seconds: number): void;
  /** How many requests this process has answered. */
  requestsAnswered(): number;
  /** A request rejected by overload before it was processed. */
  shed(): void;
  /** A request answered with 503. */
  refused(reason: 'overloaded' | 'database'): void;
  /** A connection over the limit of its address. */
  connectionRefused(): void;
  /** A wrong API key or admin token; throttled: answered 429 instead of 401. */
  wrongCredential(kind: 'key' | 'token', isThrottled: boolean): void;
  /** Attempts to sign in to the console. */
  signIn(outcome: 'done' | 'failed' | 'throttled'): void;
  /** Registers the memory held for clients, read at each scrape. */
  watchBudgets(budgets: Readonly<Record<string, { readonly bytes: number }>>): void;
}

export function httpMetrics(registry: Registry): HttpMetrics {
  const registers = [registry];
  const requests = new DurationHistogram(
    registry,
    'sluice_http_request_seconds',
    'Time from the request to its answer.',
    SECONDS_BOUNDS,
  );
  const shed = new Counter({
    name: 'sluice_shed_total',
    help: 'Requests answered 503 immediately because too many commands were waiting.',
    registers,
  });
  const refused = new Counter({
    name: 'sluice_refused_total',
    help: 'Requests answered 503 because the database was unavailable or the queue was full.',
    labelNames: ['reason'],
    registers,
  });
  const connectionsRefused = new Counter({
    name: 'sluice_connections_refused_total',
    help: 'Connections closed immediately because their address had too many.',
    registers,
  });
  const wrongCredentials = new Counter({
    name: 'sluice_wrong_credentials_total',
    help: 'Requests with a wrong API key or admin token, by kind and answer.',
    labelNames: ['kind', 'status'],
    registers,
  });
  const signIns = new Counter({
    name: 'sluice_sign_ins_total',
    help: 'Attempts to sign in to the console, by result.',
    labelNames: ['outcome'],
    registers,
  });
  let answered = 0;
  return {
    request: (method, route, status, seconds) => {
      answered += 1;
      requests.observe(method, route, status, seconds);
    },
    requestsAnswered: () => answered,
    shed: () => shed.inc(),
    refused: (reason) => refused.inc({ reason }),
    connectionRefused: () => connectionsRefused.inc(),
    wrongCredential: (kind, isThrottled) => wrongCredentials.inc({ kind, status: isThrottled ? 429 : 401 }),
    signIn: (outcome) => signIns.inc({ outcome }),
    watchBudgets: (budgets) =>
      void new Gauge({
        name: 'sluice_held_bytes',
        help: 'Bytes held for clients: large bodies until they are answered, stock lists until they are sent.',
        labelNames: ['of'],
        registers,
        collect() {
          for (const [of, { bytes }] of Object.entries(budgets)) this.set({ of }, bytes);
        },
      }),
  };
}
