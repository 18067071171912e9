// The parts of a route's schema that every operation of the channel API shares.
import { ErrorBody } from '../../platform/schema/building-blocks.ts';
import { RateLimited, Unauthorized } from './schemas.ts';

export const CHANNEL_SECURITY = [{ apiKey: [] }];
export const CHANNEL_ANSWERS = {
  401: Unauthorized,
  408: ErrorBody,
  429: RateLimited,
  500: ErrorBody,
  503: ErrorBody,
};
