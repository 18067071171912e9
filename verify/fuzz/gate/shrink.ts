// A failing run made small: whole groups are left out, then single steps, then lines of orders, as long as it fails.
import type { Group, GateStep } from './steps.ts';

/** Resolves to what is wrong, or null where all is well. */
type Fault = (groups: readonly Group[]) => Promise<string | null>;

export async function shrink(
  groups: readonly Group[],
  faultOf: Fault,
  ms_max: number,
): Promise<readonly Group[]> {
  let best = groups;
  const until = performance.now() + ms_max;
  const takes = async (candidate: readonly Group[]): Promise<boolean> => {
    if (performance.now() > until || (await faultOf(candidate)) === null) return false;
    best = candidate;
    return true;
  };
  for (let before = Infinity; before > sizeOf(best) && performance.now() < until;) {
    before = sizeOf(best);
    await dropPieces(() => best, takes);
    await dropInside(() => best, takes);
  }
  return best;
}

const sizeOf = (groups: readonly Group[]): number => JSON.stringify(groups).length;

type Best = () => readonly Group[];
type Takes = (candidate: readonly Group[]) => Promise<boolean>;

/** From the end, so that what follows the fault goes first; in ever smaller pieces. */
async function dropPieces(best: Best, takes: Takes): Promise<void> {
  for (let size = Math.ceil(best().length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let end = best().length; end > 0; end -= size) {
      await takes([...best().slice(0, Math.max(0, end - size)), ...best().slice(end)]);
    }
  }
}

async function dropInside(best: Best, takes: Takes): Promise<void> {
  for (let at = best().length - 1; at >= 0; at--) {
    for (let index = batchAt(best(), at).length - 1; index >= 0; index--) {
      const without = batchAt(best(), at).toSpliced(index, 1);
      const isTaken = await takes(without.length > 0 ? best().with(at, without) : best().toSpliced(at, 1));
      if (isTaken && without.length === 0) break;
      if (!isTaken) await dropLines(best, at, index, takes);
    }
  }
}

async function dropLines(best: Best, at: number, index: number, takes: Takes): Promise<void> {
  const first = batchAt(best(), at)[index];
  if (first?.kind !== 'intake') return;
  for (let line = first.lines.length - 1; line >= 0; line--) {
    const step = batchAt(best(), at)[index];
    if (step?.kind !== 'intake' || step.lines.length < 2) return;
    const smaller = { ...step, lines: step.lines.toSpliced(line, 1) };
    await takes(best().with(at, batchAt(best(), at).with(index, smaller)));
  }
}

/** A change by an administrator has nothing inside. */
function batchAt(groups: readonly Group[], at: number): GateStep[] {
  const group = groups[at];
  return Array.isArray(group) ? group : [];
}
