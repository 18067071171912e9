// `npm run fuzz:http`: malformed and unusual requests to a real service. It must never answer an unspecified 5xx, hang,
// or change a counter.
import { grouped, runCommand, say } from '../kit/command-line.ts';
import { createDatabase } from '../kit/database.ts';
import { Campaign, type FailedCase, type Tally } from './http/campaign.ts';
import { HELP, readOptions, type Options } from './http/options.ts';
import { startTarget, type Target } from './http/target.ts';
import { onTestServer, reporting } from './program.ts';

async function shoot(target: Target, options: Options, signal: AbortSignal): Promise<Tally> {
  const { seed, requests, replay } = options;
  const campaign = await Campaign.create(target, {
    seed,
    requests,
    isOver: () => signal.aborted,
    onFailure: (failure) => console.log(describe(failure)),
  });
  return reporting(
    (seconds) => say(summary(campaign.tally, seconds)),
    () => campaign.run(replay),
  );
}

function summary({ requests, answers, megabytes, slowest_ms, failures }: Tally, seconds: number): string {
  const statuses = [...answers].toSorted(([a], [b]) => a - b);
  return [
    `${grouped(requests)} requests, ${grouped(requests / seconds)} a second`,
    statuses.map(([status, count]) => `${status}: ${grouped(count)}`).join(', '),
    `slowest ${grouped(slowest_ms)} ms, at most ${megabytes} MB`,
    failures.length === 1 ? '1 failure' : `${failures.length} failures`,
  ].join('; ');
}

const describe = ({ kind, text, replay, reproduction }: FailedCase): string =>
  `\nFAILURE ${kind}\n${text}\nreplay: ${replay}\n${reproduction}\n`;

await runCommand(HELP, readOptions, async (options, signal) => {
  say(`seed ${options.seed}`);
  return onTestServer(async () => {
    const database = await createDatabase();
    const target = await startTarget(database.url);
    try {
      const { failures } = await shoot(target, options, signal);
      return failures.length === 0 ? 0 : 1;
    } finally {
      await target.stop();
      await database.drop();
    }
  });
});
