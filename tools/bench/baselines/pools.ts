// One pool per size that is measured, divided among the processes. Idle connections are closed by the pool.
import pg from 'pg';

// Counters are bigint and far below 2^53.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);

export interface Pools {
  of(size: number): pg.Pool;
  end(): Promise<void>;
}

export function createPools(connectionString: string, processes: number): Pools {
  const pools = new Map<number, pg.Pool>();
  return {
    of(size) {
      const known = pools.get(size);
      if (known) return known;
      const pool = new pg.Pool({
        connectionString,
        max: Math.ceil(size / processes),
        application_name: 'sluice-bench-baseline',
      });
      pool.on('error', () => {});
      pools.set(size, pool);
      return pool;
    },
    async end() {
      await Promise.all([...pools.values()].map((pool) => pool.end()));
    },
  };
}

export async function inTransaction<T>(pool: pg.Pool, work: (tx: pg.PoolClient) => Promise<T>): Promise<T> {
  const tx = await pool.connect();
  try {
    await tx.query({ name: 'begin', text: 'begin' });
    const result = await work(tx);
    await tx.query({ name: 'commit', text: 'commit' });
    return result;
  } catch (error) {
    await tx.query('rollback');
    throw error;
  } finally {
    tx.release();
  }
}
