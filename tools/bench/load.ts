// The load generator: a process of its own, one job at a time, told and answered over IPC.
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

/** The parent may have exited: then this process is about to end as well. */
const answer = (reply: Reply): void => void process.send?.(reply, () => {});

process.on('message', (job: Job) => {
  perform(job).then(
    (result) => answer({ ok: true, result }),
    (error: unknown) => answer({ ok: false, error: String(error) }),
  );
});
// Ctrl-C reaches the whole group; the orchestrator decides when this ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
