// Connections to PostgreSQL: the workers share the connections that the server allows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectionsNeeded,
  connectionsWanted,
  planConnections,
  planFitting,
} from '../src/platform/database/connection-budget.ts';

test('every plan stays within what the server allows, also while one extra worker runs', () => {
  for (let workers = 2; workers <= 64; workers++) {
    for (let available = 10; available <= 1_500; available += 7) {
      const plan = planConnections(workers, available);
      if (plan === null) {
        assert.ok(available < connectionsNeeded(workers), `${workers} workers, ${available} connections`);
        continue;
      }
      // The gate 6; lookups, lists, announcements and a health check 4; and the pool. Jobs: 4, twice in a handover.
      assert.ok((workers + 1) * (10 + plan.pool_connections) + 8 < available);
      assert.ok(plan.pool_connections >= 3 && plan.pool_connections <= 10);
    }
    assert.equal(planConnections(workers, connectionsNeeded(workers))?.pool_connections, 3);
    assert.equal(planConnections(workers, connectionsWanted(workers))?.pool_connections, 10);
  }
});

test('one worker is never refused, and a default number of workers is lowered to what fits', () => {
  assert.deepEqual(planConnections(1, 5), { workers: 1, pool_connections: 10 });
  assert.equal(planConnections(8, 97), null);
  assert.deepEqual(planFitting(8, 97), { workers: 5, pool_connections: 4 });
  assert.deepEqual(planFitting(8, 20), { workers: 1, pool_connections: 10 });
});
