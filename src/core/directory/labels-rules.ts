// Labels of channels in metrics, with a limit on their number.

/** Channels beyond this number are counted together as `other`. */
export const CHANNEL_LABELS_MAX = 100;
export const OTHER_CHANNELS = 'other';

/**
 * Label by channel id, for the first active channels. Every process gives the same labels, so metrics can be summed.
 */
export function channelLabels(ids: readonly number[], labelsMax = CHANNEL_LABELS_MAX): Map<number, string> {
  // A channel with two keys is one channel.
  const sorted = [...new Set(ids)].toSorted((a, b) => a - b);
  return new Map(sorted.map((id, at) => [id, at < labelsMax ? String(id) : OTHER_CHANNELS]));
}
