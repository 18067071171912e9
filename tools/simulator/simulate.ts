// One simulation from its options to its exit code.
import { writeFile } from 'node:fs/promises';
import { Random } from '../../verify/kit/random.ts';
import { UsageError } from '../../verify/kit/command-line.ts';
import { Admin, AdminError } from '../../verify/kit/admin.ts';
import { checkReconciled } from '../../verify/observer/final-state.ts';
import type { Observer } from '../../verify/observer/observer.ts';
import { summaryOf } from './board.ts';
import { adoptChannels, closeChannels, openChannels } from './open-channels.ts';
import type { Options, Target } from './options.ts';
import { startOwnService } from './own-service.ts';
import { serveProductInfo } from './product-info.ts';
import { checkRegistration } from './registration.ts';
import { Run } from './run.ts';
import { lineOf, picture, show, type Screen } from './view.ts';
import { ownWorld, worldOf, type Channel, type KeyedWorld } from './world.ts';

const POLL_MS = 1_000;
const DELIVERY_MS = 2_000;
const COLUMNS = 120;

/** What a run needs: the service, its world, and the cleanup. */
interface Stage {
  origin: string;
  world: KeyedWorld;
  /** null: only API keys are known */
  admin: Admin | null;
  close(): Promise<void>;
}

async function ownStage({ channels, seed }: Options): Promise<Stage> {
  const service = await startOwnService();
  try {
    const admin = new Admin(service.origin, service.admin_token);
    const keys = await adoptChannels(admin, channels);
    const more = await openChannels(admin, channels - keys.size, new Random(seed));
    const world = await ownWorld(admin, new Map([...keys, ...more]));
    return { origin: service.origin, world, admin, close: () => service.stop() };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function stageAt({ origin, keys, admin_token }: Target, { channels, seed }: Options): Promise<Stage> {
  if ((await fetch(`${origin}/healthz`).catch(() => null)) === null)
    throw new UsageError(`--url: no service answers at ${origin}`);
  if (keys !== null)
    return { origin, world: await worldOf(`${origin}/api/v1`, keys), admin: null, close: async () => {} };
  const admin = new Admin(origin, admin_token ?? '');
  const opened = await openChannels(admin, channels, new Random(seed)).catch((error: unknown) => {
    throw error instanceof AdminError ? new UsageError(`SLUICE_ADMIN_TOKEN: ${error.message}`) : error;
  });
  const close = (): Promise<void> => closeChannels(admin, opened);
  return { origin, world: await ownWorld(admin, opened), admin, close };
}

/** Returns the exit code. */
export async function simulate(options: Options, screen: Screen, signal: AbortSignal): Promise<number> {
  const { target, seed, scenario, rate, ms } = options;
  screen.write(`scenario ${scenario}, seed ${seed}, ${rate} customers a second\n`);
  const stage = target === null ? await ownStage(options) : await stageAt(target, options);
  try {
    const run = new Run({
      baseUrl: `${stage.origin}/api/v1`,
      world: stage.world,
      seed,
      scenario,
      rate,
      ms,
      pace: 1,
      poll_ms: POLL_MS,
      opening: 0,
      warehouse: stage.admin && { admin: stage.admin, every_ms: DELIVERY_MS },
      signal,
    });
    return await runOn(stage, run, options, screen);
  } finally {
    await stage.close();
  }
}

async function runOn(stage: Stage, run: Run, options: Options, screen: Screen): Promise<number> {
  const { observer, board } = run;
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  const goods = await serveProductInfo(
    stage.world.channels,
    (channel, sku) => run.shops[channel]?.shown(sku) ?? 0,
  );
  const title = (): string => `${options.scenario}, seed ${options.seed}, ${Math.round(seconds())} s`;
  const hide = show(screen, title, board, observer);
  try {
    const note = (text: string): unknown => screen.write(`${text}\n`);
    await Promise.all([
      run.go(),
      stage.admin && register(stage.admin, stage.world.channels, observer, goods.urlOf, note),
    ]);
    if (stage.admin) await checkReconciled(observer, stage.admin);
  } finally {
    hide();
    goods.close();
  }
  if (!screen.isTTY) screen.write(`${picture(title(), board, observer, COLUMNS).join('\n')}\n`);
  for (const sentence of observer.broken) screen.write(`violation: ${sentence}\n`);
  screen.write(`${lineOf(board, observer)}\n`);
  if (options.json !== null) {
    const summary = summaryOf({ ...options, seconds: seconds() }, board, observer);
    await writeFile(options.json, `${JSON.stringify(summary, null, 2)}\n`);
  }
  return observer.broken.size === 0 ? 0 : 1;
}

async function register(
  admin: Admin,
  channels: readonly Channel[],
  observer: Observer,
  urlOf: (channel: number) => string,
  note: (text: string) => void,
): Promise<void> {
  for (const [place, { id }] of channels.entries())
    await admin.send('PATCH', `/channels/${id}`, { api_url: urlOf(place) });
  await checkRegistration(admin, channels, observer).catch((error: unknown) => {
    if (!(error instanceof AdminError)) throw error;
    // A remote service cannot reach this machine, or its outbound calls are restricted.
    note(`Product information was not pulled: ${error.message}`);
  });
}
