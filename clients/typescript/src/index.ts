export { SluiceClient, type ClientOptions } from './client.ts';
export { SluiceError, type SluiceErrorKind } from './error.ts';
export type { Fetch } from './exchange.ts';
export type { SyncOptions, WatchOrdersOptions } from './follow.ts';
export type { PollOptions } from './poller.ts';
export type { RetryOptions } from './retry.ts';
export type { Operations, Schemas } from './schema.ts';
export type * from './types.ts';
