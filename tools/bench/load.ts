// The load generator: a separate process that runs one job at a time, controlled over IPC.
import { openChanger } from './changes.ts';
import { runClosed } from './closed-loop.ts';
import type { Job, LoadResult, Reply } from './job.ts';
import { runOpen } from './open-loop.ts';
import { requestsOf } from './requests.ts';

async function perform(job: Job): Promise<LoadResult> {
  const next = requestsOf(job);
  if (job.load.kind === 'open') return runOpen(job, job.load, next);
  const changer = job.change && (await openChanger(job.change));
  try {
    return await runClosed(job, job.load.connections, next, changer && (() => changer.change()));
  } finally {
    await changer?.close();
  }
}

/** Ignore errors: if the parent has exited, this process is about to end too. */
const answer = (reply: Reply): void => void process.send?.(reply, () => {});

process.on('message', (job: Job) => {
  perform(job).then(
    (result) => answer({ ok: true, result }),
    (error: unknown) => answer({ ok: false, error: String(error) }),
  );
});
// Ctrl-C reaches the whole process group, but the orchestrator decides when this process ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
