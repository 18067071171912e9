// Classifies database errors.
import pg from 'pg';
import { systemError } from '../log/system-error.ts';

/** The database cannot be used now; a retry may succeed. */
export class DatabaseUnavailable extends Error {
  constructor(cause: unknown) {
    super('the database is not available', { cause });
    this.name = 'DatabaseUnavailable';
  }
}

/** The response to a COMMIT was lost, and the state of the transaction could not be determined. */
export class CommitUnknown extends DatabaseUnavailable {
  constructor(cause: unknown) {
    super(cause);
    this.name = 'CommitUnknown';
  }
}

/** An earlier statement failed, so COMMIT was answered with ROLLBACK, or would be. */
export class RolledBack extends Error {
  constructor() {
    super('the transaction was rolled back');
    this.name = 'RolledBack';
  }
}

/** 08: connection; 57P: shutdown, crash, not yet accepting; 25P03, 25P04: idle or total transaction timeout. */
const CONNECTION_LOST = /^08|^57P|^25P0[34]$/;

/** The server is a standby: its data may be stale, and it accepts no writes. */
export class InRecovery extends Error {
  constructor() {
    super('the database is in recovery');
    this.name = 'InRecovery';
  }
}

export type DatabaseFailure = 'connection' | 'conflict' | 'unavailable' | 'unexpected';

const CONFLICTS = new Set([
  '40001', // serialization failure
  '40P01', // deadlock
  '55P03', // lock not available in time
]);
const UNAVAILABLE = new Set([
  '25006', // read-only: a standby, or a server that is being demoted
  '3D000', // no such database: it is being restored
  '57014', // statement timeout
  '58030', // I/O error
]);
/** Error classes: insufficient resources (disk, memory, connections) and failed logins. */
const UNAVAILABLE_CLASSES = ['53', '28'];

/**
 * PostgreSQL assigns no more transaction ids, to avoid their wraparound, until it is vacuumed: only reads work. The code
 * is also that of faults of a statement, and the text depends on the language of the server.
 */
export const isOutOfTransactionIds = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.code === '54000' &&
  (error.routine === 'GetNewTransactionId' || error.routine === 'GetNewMultiXactId');

export const sqlState = (error: unknown): string | undefined =>
  error instanceof pg.DatabaseError && error.code !== undefined && error.code.length === 5
    ? error.code
    : undefined;

/** How to handle an error: reconnect, retry, give up for now, or treat it as a bug. */
export function failureOf(error: unknown): DatabaseFailure {
  if (error instanceof DatabaseUnavailable) return 'unavailable';
  if (error instanceof InRecovery) return 'connection';
  const state = sqlState(error);
  if (state === undefined) return isConnectionError(error) ? 'connection' : 'unexpected';
  if (CONFLICTS.has(state)) return 'conflict';
  if (UNAVAILABLE.has(state) || UNAVAILABLE_CLASSES.includes(state.slice(0, 2))) return 'unavailable';
  if (isOutOfTransactionIds(error)) return 'unavailable';
  return CONNECTION_LOST.test(state) ? 'connection' : 'unexpected';
}

function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError) return error.errors.some(isConnectionError);
  const { code } = systemError(error);
  return (
    (code !== undefined && /^(E[A-Z]+|EAI_[A-Z]+)$/.test(code)) ||
    /connection|trying to connect|not queryable|timeout expired|Query read timeout/i.test(error.message)
  );
}

export const isUniqueViolation = (error: unknown, constraint?: string): boolean =>
  error instanceof pg.DatabaseError &&
  sqlState(error) === '23505' &&
  (constraint === undefined || error.constraint === constraint);

/** The role lacks a privilege. */
export const isForbidden = (error: unknown): boolean => sqlState(error) === '42501';
