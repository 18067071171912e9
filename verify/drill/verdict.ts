// Shared by the drills with a driver: the check for recovery, the final check, the summary.
import { setTimeout as sleep } from 'node:timers/promises';
import { check, type CheckOptions } from './check.ts';
import type { Driver, Finished } from './driver.ts';
import { setExpiry } from './setup.ts';
import type { World } from './world.ts';

const RECOVERY_MS = 60_000;
const VIOLATIONS_SHOWN_MAX = 50;

export const say = (text: string): void => console.log(text);

export const acknowledgedBy = async (driver: Driver): Promise<number> =>
  Object.values((await driver.progress()).acknowledged).reduce((sum, count) => sum + count, 0);

/**
 * Waits until the service has executed this many commands: being ready is not enough. Returns how many have
 * succeeded since the start of the drill.
 */
export async function waitForRecovery(
  what: string,
  { driver, violations }: { driver: Driver; violations: Set<string> },
  { before, least }: { before: number; least: number },
  moreViolations: () => string[] = () => [],
): Promise<number> {
  for (const deadline = Date.now() + RECOVERY_MS; ; await sleep(20)) {
    const { violations: reported } = await driver.progress();
    for (const text of [...reported, ...moreViolations()]) violations.add(text);
    const now = await acknowledgedBy(driver);
    if (now - before >= least || violations.size > 0) return now;
    if (Date.now() > deadline)
      violations.add(`${what}: only ${now - before} commands succeeded in ${RECOVERY_MS} ms`);
  }
}

export interface Drilled {
  driver: Driver;
  world: World;
  /** Returns the current options: the address of the database may change with a restart. */
  checking: () => Promise<CheckOptions>;
  violations: Set<string>;
}

/** Stops the load, settles and checks everything, and resumes unless there is a violation. */
export async function checkpoint(drilled: Drilled): Promise<void> {
  const { driver, world, violations } = drilled;
  const checking = await drilled.checking();
  await setExpiry(checking.origin, world, false);
  await driver.pause();
  await driver.settle();
  await judge(checking, violations);
  if (violations.size > 0) return;
  await setExpiry(checking.origin, world, true);
  await driver.resume();
}

export async function conclude({ driver, world, checking, violations }: Drilled): Promise<Finished> {
  if (violations.size === 0) await setExpiry((await checking()).origin, world, false);
  const finished = await driver.finish();
  for (const text of finished.violations) violations.add(text);
  await judge(await checking(), violations);
  return finished;
}

async function judge(checking: CheckOptions, violations: Set<string>): Promise<void> {
  const began = performance.now();
  const verdict = await check(checking);
  for (const text of verdict.violations) violations.add(text);
  const seconds = ((performance.now() - began) / 1000).toFixed(1);
  say(
    `checked ${verdict.orders} orders in ${seconds} s, ${verdict.expired} of them expired: ${verdict.violations.length} violations`,
  );
}

export function sayTotals({ acknowledged, ...finished }: Finished, violations: ReadonlySet<string>): void {
  const { order, report, adjust, count } = acknowledged;
  say(
    `acknowledged  ${order + report + adjust + count} (${order} orders, ${report} reports, ${adjust + count} stock changes), ${finished.attempts} attempts`,
  );
  say(
    `unknown       ${finished.unknown} attempts, ${finished.settled} commands settled by resending, ${finished.unsettled} not settled`,
  );
  say(`violations    ${violations.size}`);
}

/** Returns the exit code. */
export function sayViolations(violations: ReadonlySet<string>, seed: number, ledger: string): number {
  for (const text of [...violations].slice(0, VIOLATIONS_SHOWN_MAX)) say(`VIOLATION  ${text}`);
  if (violations.size > 0) say(`seed ${seed}; the ledger is kept: ${ledger}`);
  return violations.size > 0 ? 1 : 0;
}
