import type { Services } from './services.ts';

/**
 * After a change of channels, keys or policies is committed, and before its response: from then on no worker serves a
 * request by what it had cached.
 */
export async function channelsChanged({ directory, others }: Services): Promise<void> {
  directory.invalidate();
  await others.ask({ about: 'channels_changed' });
}
