// Labels of channels in metrics: bounded in number.

/** Further channels are counted together. */
export const CHANNEL_LABELS_MAX = 100;
export const OTHER_CHANNELS = 'other';

/** By id: the first active channels. The same in every process, so that their metrics can be added up. */
export function channelLabels(ids: readonly number[], labelsMax = CHANNEL_LABELS_MAX): Map<number, string> {
  // A channel with two keys is one channel.
  const sorted = [...new Set(ids)].toSorted((a, b) => a - b);
  return new Map(sorted.map((id, at) => [id, at < labelsMax ? String(id) : OTHER_CHANNELS]));
}
