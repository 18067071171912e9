// Metrics of background jobs.
import { Counter, Gauge, type Registry } from 'prom-client';
import type { JobMetrics } from '../jobs/job.ts';

export function jobMetrics(registry: Registry): JobMetrics {
  const registers = [registry];
  const labelNames = ['job'];
  const jobRunning = new Gauge({
    name: 'sluice_job_running',
    help: 'Whether this process runs the job now.',
    labelNames,
    registers,
  });
  const jobRuns = new Counter({
    name: 'sluice_job_runs_total',
    help: 'Runs of a background job that have ended in this process.',
    labelNames,
    registers,
  });
  const jobFailures = new Counter({
    name: 'sluice_job_failures_total',
    help: 'Of these runs, those that failed.',
    labelNames,
    registers,
  });
  const jobSuccess = new Gauge({
    name: 'sluice_job_last_success_timestamp_seconds',
    help: 'When the job last succeeded or made progress in this process.',
    labelNames,
    aggregator: 'max',
    registers,
  });
  return {
    jobStarted: (job) => {
      jobRunning.set({ job }, 1);
      jobFailures.inc({ job }, 0);
    },
    jobEnded: (job, outcome) => {
      jobRunning.set({ job }, 0);
      jobRuns.inc({ job });
      if (outcome === 'done') jobSuccess.setToCurrentTime({ job });
      if (outcome === 'failed') jobFailures.inc({ job });
    },
    jobProgressed: (job) => jobSuccess.setToCurrentTime({ job }),
  };
}
