import type { Services } from '../../start/services.ts';

/**
 * Called after a change of channels, keys or policies is committed and before its response is sent. Afterwards no worker
 * serves a request from stale cache entries.
 */
export async function channelsChanged({ directory, others }: Services): Promise<void> {
  directory.invalidate();
  await others.ask({ about: 'channels_changed' });
}
