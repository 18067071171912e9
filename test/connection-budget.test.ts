// Connections to PostgreSQL: the workers share what the server allows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  connectionsNeeded,
  connectionsWanted,
  planConnections,
  planFitting,
} from '../src/store/connection-budget.ts';

test('every plan stays within what the server allows, also while one worker more runs', () => {
  for (let workers = 2; workers <= 64; workers++) {
    for (let available = 10; available <= 1_500; available += 7) {
      const plan = planConnections(workers, available);
      if (plan === null) {
        assert.ok(available < connectionsNeeded(workers), `${workers} workers, ${available} connections`);
        continue;
      }
      // Six of the gate, lookups, lists, announcements, a health check and the pool; four of the jobs, twice.
      assert.ok((workers + 1) * (10 + plan.pool_connections) + 8 < available);
      assert.ok(plan.pool_connections >= 3 && plan.pool_connections <= 10);
    }
    assert.equal(planConnections(workers, connectionsNeeded(workers))?.pool_connections, 3);
    assert.equal(planConnections(workers, connectionsWanted(workers))?.pool_connections, 10);
  }
});

test('one process is never refused, and a number that nobody chose is lowered to what fits', () => {
  assert.deepEqual(planConnections(1, 5), { workers: 1, pool_connections: 10 });
  assert.equal(planConnections(8, 97), null);
  assert.deepEqual(planFitting(8, 97), { workers: 5, pool_connections: 4 });
  assert.deepEqual(planFitting(8, 20), { workers: 1, pool_connections: 10 });
});
