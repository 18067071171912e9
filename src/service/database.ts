// The connections to the database, with health checks, waiting during an outage, log and metrics.
import type { FastifyBaseLogger } from 'fastify';
import type { Timeouts } from '../config/timeouts.ts';
import { GATE_CONNECTIONS } from '../engine/gate.ts';
import { JOB_CONNECTIONS_MAX } from '../jobs/runner.ts';
import type { Metrics } from '../metrics.ts';
import { connectionLimits, createPool } from '../store/connections.ts';
import { DatabaseLog } from '../store/database-log.ts';
import { DATABASE_STATES, GATE_CONNECTION, HealthCheck, healthOf } from '../store/health.ts';
import { givePatience, Patience } from '../store/patience.ts';
import { PipelinedConnection } from '../store/pipelined-connection.ts';

/** Connections are opened on first use. */
export function connectDatabase(
  { url, pool_connections }: { url: string; pool_connections?: number | undefined },
  timeouts: Timeouts,
  metrics: Metrics,
  logger: FastifyBaseLogger,
) {
  const limits = connectionLimits(timeouts.statement_ms, timeouts);
  const longLimits = connectionLimits(timeouts.long_statement_ms, timeouts);
  const gateConnections = Array.from(
    { length: GATE_CONNECTIONS },
    () => new PipelinedConnection(url, GATE_CONNECTION, { limits }),
  );
  const lookupConnection = new PipelinedConnection(url, 'sluice-lookup', { limits });
  const listConnection = new PipelinedConnection(url, 'sluice-list', { limits });
  const databaseLog = new DatabaseLog(logger, () => metrics.databaseOutage());
  const patience = new Patience({
    patience_ms: timeouts.retry_ms,
    probe: () => lookupConnection.probe(),
    onAway: (error) => databaseLog.saw(healthOf(error)),
    onBack: () => void health.check().catch(() => {}),
  });
  const health = new HealthCheck(lookupConnection, url, {
    onFailure: (state) => metrics.databaseFailure(state),
    onChecked: (found) => databaseLog.saw(found),
    patience,
    limits,
  });
  metrics.watchDatabase(DATABASE_STATES, async () => (await health.check()).state);
  const patientPool = (connections?: number) => {
    const pool = createPool(url, connections, longLimits);
    givePatience(pool, patience);
    return pool;
  };
  return {
    pool: patientPool(pool_connections),
    jobPool: patientPool(JOB_CONNECTIONS_MAX),
    gateConnections,
    lookupConnection,
    listConnection,
    health,
    patience,
    limits,
  };
}
