// The job runner with a real database: processes share the jobs, and no job is lost when a process dies.
import { shiftClock } from './kit/shifted-date.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pgBoss from 'pg-boss/package.json' with { type: 'json' };
import type { CoreJob, JobServices } from '../src/core/assembly/core.ts';
import { JobRunner } from '../src/platform/jobs/runner.ts';
import { createPool } from '../src/platform/database/connections.ts';
import { connect, query } from '../verify/kit/connection.ts';
import { startTestService } from '../verify/kit/service.ts';
import { until } from '../verify/kit/until.ts';

const { service, database, log } = await startTestService();

/** A runner with a connection pool of its own: for the database it is a separate process. */
function startRunner(...jobs: CoreJob[]): { runner: JobRunner<JobServices>; stop(): Promise<void> } {
  const pool = createPool(database.url, 4);
  const { config, gate, reconciler, sealer, metrics, formatTimestamp } = service.services;
  const runner = new JobRunner(
    jobs,
    { config, gate, reconciler, sealer, metrics, formatTimestamp, pool, log: service.services.log },
    1,
  );
  runner.start();
  return {
    runner,
    stop: async () => {
      await runner.stop();
      await pool.end();
    },
  };
}

test('the migration creates the schema version that the installed pg-boss expects', async () => {
  const [found] = await query<{ version: number }>(
    database.ownerUrl,
    'select version from sluice_jobs.version',
  );
  assert.equal(found?.version, pgBoss.pgboss.schema);
});

test('two processes share the runs of a job, never run it at the same time, and stop cleanly during a run', async () => {
  let running = 0;
  let runs = 0;
  let overlaps = 0;
  let stoppedRuns = 0;
  const job: CoreJob = {
    name: 'in-turns',
    every_s: 1,
    async run(_services, signal) {
      runs += 1;
      running += 1;
      if (running > 1) overlaps += 1;
      await sleep(runs < 3 ? 50 : 60_000, undefined, { signal }).catch(() => (stoppedRuns += 1));
      running -= 1;
    },
  };
  const first = startRunner(job);
  const second = startRunner(job);
  await until(() => runs >= 3, 'three runs');
  await Promise.all([first.stop(), second.stop()]);
  assert.deepEqual({ overlaps, running, stoppedRuns }, { overlaps: 0, running: 0, stoppedRuns: 1 });
  // The stopped run has queued the next one.
  const left = await query(
    database.ownerUrl,
    `select state from sluice_jobs.job where name = 'in-turns' and state <= 'active'`,
  );
  assert.deepEqual(left, [{ state: 'created' }]);
});

test('a run whose process died is repeated by another process', async () => {
  let runs = 0;
  const job: CoreJob = { name: 'orphaned', every_s: 2, run: async () => void (runs += 1) };
  const first = startRunner(job);
  await until(() => runs > 0, 'the first run');
  await first.stop();
  const before = runs;
  await query(
    database.ownerUrl,
    `update sluice_jobs.job set state = 'active', started_on = now() - interval '1 minute', heartbeat_on = now() - interval '1 minute'
     where name = 'orphaned' and state = 'created'`,
  );
  const second = startRunner(job);
  await until(() => runs > before, 'the run of the dead process');
  await second.stop();
});

test('the end of a run that another process has taken over does not end that run, or start another one', async () => {
  const ends: (() => void)[] = [];
  const job: CoreJob = {
    name: 'taken-over',
    every_s: 1,
    run: () => new Promise((resolve) => void ends.push(resolve)),
  };
  const entries = () =>
    query(database.ownerUrl, `select state, retry_count from sluice_jobs.job where name = 'taken-over'`);
  const first = startRunner(job);
  await until(() => ends.length === 1, 'the first run');
  // As if the process had been cut off from the database for a minute.
  await query(
    database.ownerUrl,
    `update sluice_jobs.job set heartbeat_on = now() - interval '1 minute' where name = 'taken-over'`,
  );
  const second = startRunner(job);
  await until(() => ends.length === 2, 'the run of the other process');
  ends[0]?.();
  await first.stop();
  assert.deepEqual(await entries(), [{ state: 'active', retry_count: 1 }]);
  ends[1]?.();
  await second.stop();
  assert.equal((await entries()).filter(({ state }) => state === 'created').length, 1);
});

for (const [name, shift_ms] of Object.entries({ ahead: 3_600_000, behind: -3_600_000 })) {
  test(`the clock of the processes is ${name}: they leave a run alone that lives, and repeat one whose process died`, async (t) => {
    let runs = 0;
    let end = (): void => {};
    const job: CoreJob = {
      name: `clock-${name}`,
      every_s: 1,
      run: () => {
        runs += 1;
        return new Promise((resolve) => (end = resolve));
      },
    };
    const runners = [startRunner(job)];
    t.after(() => {
      end();
      return Promise.all(runners.map((runner) => runner.stop()));
    });
    await until(() => runs === 1, 'the first run');
    shiftClock(t, shift_ms);
    runners.push(startRunner(job));
    const checkedAt = async (): Promise<string> => {
      const sql = `select monitor_on::text as at from sluice_jobs.queue where name = 'clock-${name}'`;
      return (await query<{ at: string | null }>(database.ownerUrl, sql))[0]?.at ?? 'never';
    };
    const checks = new Set<string>();
    await until(async () => checks.add(await checkedAt()).size === 3, 'two checks for dead runs');
    assert.equal(runs, 1, 'one process has it, and no other takes it');
    const [entry] = await query<{ state: string; retry_count: number }>(
      database.ownerUrl,
      `select state, retry_count from sluice_jobs.job where name = 'clock-${name}'`,
    );
    assert.deepEqual(entry, { state: 'active', retry_count: 0 });
    await query(
      database.ownerUrl,
      `update sluice_jobs.job set heartbeat_on = now() - interval '1 minute' where name = 'clock-${name}'`,
    );
    const endFirst = end;
    await until(() => runs === 2, 'the run is repeated');
    endFirst();
  });
}

test('a job that fails is logged without values and counted, and runs again', async () => {
  let runs = 0;
  const job: CoreJob = {
    name: 'failing',
    every_s: 1,
    async run({ pool }) {
      runs += 1;
      await pool.query(`select 'recipient Kim'::int`);
    },
  };
  const one = startRunner(job);
  const metric = (name: string, of: string) =>
    service.services.metrics.registry
      .getSingleMetricAsString(name)
      .then((text) => new RegExp(`job="${of}"\\} ([\\d.e+]+)$`, 'm').exec(text)?.[1]);
  const failures = async () => Number(await metric('sluice_job_failures_total', 'failing'));
  await until(async () => (await failures()) >= 2, 'a second run');
  await one.stop();
  assert.ok(runs >= 2);
  assert.ok(log.some(({ job: name, msg }) => name === 'failing' && msg === 'a job failed'));
  assert.equal(await metric('sluice_job_running', 'failing'), '0');
  assert.equal(await metric('sluice_job_last_success_timestamp_seconds', 'failing'), undefined);
  // Metrics of the job of the previous test.
  assert.ok(Number(await metric('sluice_job_runs_total', 'orphaned')) >= 2);
  assert.equal(await metric('sluice_job_failures_total', 'orphaned'), '0');
  assert.ok(Number(await metric('sluice_job_last_success_timestamp_seconds', 'orphaned')) > 1.7e9);
});

test('a service role cannot change the schema of the runner', async () => {
  const client = await connect(database.url);
  await assert.rejects(client.query('drop table sluice_jobs.schedule'), /must be owner|permission denied/);
  await client.end();
});
