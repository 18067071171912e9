import { topic, type OtherWorkers } from '../../platform/supervisor/other-workers.ts';

/** A change of channels, keys or policies was committed: cached channels are stale. */
export const CHANNELS_STALE = topic('channels_changed');

/** What operations that change channels get: the caches that must forget them. */
export interface CachesChannels {
  readonly directory: { invalidate(): void };
  readonly others: OtherWorkers;
}

/**
 * Called after a change of channels, keys or policies is committed and before its response is sent. Afterwards no worker
 * serves a request from stale cache entries.
 */
export async function channelsChanged({ directory, others }: CachesChannels): Promise<void> {
  directory.invalidate();
  await others.ask(CHANNELS_STALE, null);
}
