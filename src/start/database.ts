// The connections to the database, with health checks, waiting during an outage, log and metrics.
import type { FastifyBaseLogger } from 'fastify';
import type { Timeouts } from '../platform/config/timeouts.ts';
import { GATE_CONNECTIONS } from '../core/gate/gate.ts';
import { JOB_CONNECTIONS_MAX } from '../platform/jobs/runner.ts';
import type { Metrics } from './metrics.ts';
import {
  connectionLimits,
  createPool,
  DatabaseSockets,
  END_MS_MAX,
} from '../platform/database/connections.ts';
import { watchClock } from '../platform/database/clock-log.ts';
import { DatabaseLog } from '../platform/database/database-log.ts';
import { DATABASE_STATES, GATE_CONNECTION, HealthCheck, healthOf } from '../platform/database/health.ts';
import { givePatience, Patience } from '../platform/database/patience.ts';
import { PipelinedConnection } from '../platform/database/pipelined-connection.ts';

/** Connections are opened on first use. */
export function connectDatabase(
  { url, pool_connections }: { url: string; pool_connections?: number | undefined },
  timeouts: Timeouts,
  metrics: Metrics,
  logger: FastifyBaseLogger,
) {
  const sockets = new DatabaseSockets();
  const jobSockets = new DatabaseSockets();
  const limits = connectionLimits(timeouts.statement_ms, timeouts, sockets);
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
    onClock: watchClock(logger, (seconds) => metrics.clockSkew(seconds)),
    patience,
    limits,
  });
  metrics.watchDatabase(DATABASE_STATES, async () => (await health.check()).state);
  const patientPool = (its: DatabaseSockets, connections?: number) => {
    const pool = createPool(url, connections, connectionLimits(timeouts.long_statement_ms, timeouts, its));
    givePatience(pool, patience);
    return pool;
  };
  const pool = patientPool(sockets, pool_connections);
  const jobPool = patientPool(jobSockets, JOB_CONNECTIONS_MAX);
  return {
    pool,
    jobPool,
    gateConnections,
    lookupConnection,
    listConnection,
    health,
    patience,
    limits,
    /** Everything that waits for the database fails at once. Jobs can be cut off alone. */
    cutOff(those: 'jobs' | 'all') {
      jobSockets.cutOff();
      if (those === 'jobs') return;
      patience.close();
      sockets.cutOff();
    },
    /** A server that does not respond to the end of a connection would delay the stop without a limit. */
    async close() {
      const late = setTimeout(() => {
        jobSockets.cutOff();
        sockets.cutOff();
      }, END_MS_MAX);
      const connections = [...gateConnections, lookupConnection, listConnection];
      const closing = connections.map((connection) => connection.close());
      await Promise.all([...closing, pool.end(), jobPool.end()]);
      clearTimeout(late);
    },
  };
}
