// Timeouts of connections, requests and statements.
import type { Variables } from './variables.ts';

/** In milliseconds. */
export interface Timeouts {
  /** For the headers of a request, from its first byte or from the connection. */
  readonly headers_ms: number;
  /** For a whole request including its body. */
  readonly body_ms: number;
  /** For a connection without a request, or whose client does not read its response. */
  readonly idle_connection_ms: number;
  /** For a client that does not read its stock list. */
  readonly send_ms: number;
  /** For a new connection to the database. */
  readonly connect_ms: number;
  /** For a statement of a channel request. */
  readonly statement_ms: number;
  /** For a statement of the back office. */
  readonly long_statement_ms: number;
  /** For a row lock that another transaction holds. */
  readonly lock_ms: number;
  /** For retries of an order or a report during a database outage or a conflict. */
  readonly retry_ms: number;
  /** idle_in_transaction_session_timeout: frees the rows of a hanging transaction. */
  readonly idle_transaction_ms: number;
}

const RANGE = { min: 100, max: 3_600_000, unit: 'milliseconds' } as const;

export function readTimeouts({ wholeNumber, check }: Variables): Timeouts {
  const timeout = (name: string, unset_ms: number): number => wholeNumber(name, RANGE, unset_ms);
  const timeouts = Object.freeze({
    headers_ms: timeout('SLUICE_HEADERS_TIMEOUT_MS', 15_000),
    body_ms: timeout('SLUICE_BODY_TIMEOUT_MS', 30_000),
    idle_connection_ms: timeout('SLUICE_IDLE_CONNECTION_TIMEOUT_MS', 72_000),
    send_ms: timeout('SLUICE_SEND_TIMEOUT_MS', 30_000),
    connect_ms: timeout('SLUICE_CONNECT_TIMEOUT_MS', 5_000),
    statement_ms: timeout('SLUICE_STATEMENT_TIMEOUT_MS', 8_000),
    long_statement_ms: timeout('SLUICE_LONG_STATEMENT_TIMEOUT_MS', 30_000),
    lock_ms: timeout('SLUICE_LOCK_TIMEOUT_MS', 5_000),
    retry_ms: timeout('SLUICE_RETRY_TIMEOUT_MS', 8_000),
    idle_transaction_ms: timeout('SLUICE_IDLE_TRANSACTION_TIMEOUT_MS', 10_000),
  });
  check(
    timeouts.headers_ms <= timeouts.body_ms,
    `SLUICE_HEADERS_TIMEOUT_MS must be at most SLUICE_BODY_TIMEOUT_MS, which counts from the same moment.`,
  );
  return timeouts;
}
