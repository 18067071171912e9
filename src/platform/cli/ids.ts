// Ids on the command line.
import { INT32_MAX } from '../values/int32.ts';
import { UsageError } from './command.ts';

export function readId(text: string, where: string): number {
  const id = Number(text);
  if (!/^\d{1,10}$/.test(text) || id < 1 || id > INT32_MAX) {
    throw new UsageError(
      `${where} must be a channel id such as 1, not "${text}".`,
      'See "sluice channel list".',
    );
  }
  return id;
}
