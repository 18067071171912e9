// Contract 5: every request is authenticated by its API key before anything else is read.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isInRanges } from '../../platform/values/client-address.ts';
import type { ActiveChannel } from '../directory/store.ts';
import type { FoundChannel } from '../directory/channel-directory.ts';
import type { ChannelApi } from './channel-api.ts';
import { AnsweredError } from '../../platform/http/answered-error.ts';
import { clientAddressOf } from '../../platform/http/client-address.ts';
import { countGuess, isGuessing } from '../../platform/accounts/wrong-credential-answer.ts';
import { isForTheGate } from './paths.ts';
import { nameReason } from './reasons.ts';
import { refuseByPolicy, checkSignature, recheckPolicy, policyViolation } from './policy.ts';

declare module 'fastify' {
  interface FastifyRequest {
    channel: ActiveChannel | null;
  }
}

/** Sends 401, or continues with the request's channel set; synchronous for a key in the directory's cache. */
export function authenticate(
  services: ChannelApi,
  request: FastifyRequest,
  reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key === '') {
    void nameReason(reply, 'key_required')
      .code(401)
      .send({ error: 'An API key is required in the header X-Api-Key.' });
    return;
  }
  // An unknown key may be new or of an inactive channel, so it is looked up in the database. A valid key from a wrong
  // address is looked up as well, so that the response time does not reveal that it is valid. Addresses that guess keys
  // cause no lookups.
  const lookedUp = (cached: ActiveChannel | null): FoundChannel | Promise<FoundChannel> =>
    mayUse(services, request, cached) || isGuessing(services, request)
      ? cached
      : services.directory.findNew(key);
  const cached = services.directory.find(key);
  const found = cached instanceof Promise ? cached.then(lookedUp) : lookedUp(cached);
  if (!(found instanceof Promise)) return admit(services, request, reply, found, done);
  found
    .catch(countFailure(services, request))
    .then((channel) => admit(services, request, reply, channel, done), done);
}

function admit(
  services: ChannelApi,
  request: FastifyRequest,
  reply: FastifyReply,
  found: FoundChannel,
  done: (error?: Error) => void,
): void {
  const known = found === 'inactive' ? null : found;
  const channel = mayUse(services, request, known) ? known : null;
  if (known && !channel) countForeign(services, request, known);
  request.channel = channel;
  if (!channel) {
    // The key of an inactive channel is no guess. The answer is the same, so that it cannot be recognized.
    if (found !== 'inactive') countGuess(services, request, 'key');
    return void refuseKey(reply);
  }
  const code = policyViolation(services, request, reply, channel);
  const decided = (found_code: Awaited<typeof code>): void => {
    if (found_code === null) done();
    else void refuseByPolicy(reply, found_code, services);
  };
  if (code instanceof Promise) code.then(decided, done);
  else decided(code);
}

/**
 * Whether the key belongs to a channel and may be used from the address of the request. From another address it is
 * answered like an unknown key, so that a stolen key cannot be recognized as valid; the log and a metric tell operators.
 */
function mayUse({ config }: ChannelApi, request: FastifyRequest, found: ActiveChannel | null): boolean {
  const addresses = found?.policy?.addresses;
  return found !== null && (!addresses || isInRanges(clientAddressOf(request, config), addresses));
}

function countForeign(
  { config, metrics, foreignAddresses }: ChannelApi,
  request: FastifyRequest,
  { id }: ActiveChannel,
): void {
  metrics.channelRefusal('address_not_allowed');
  foreignAddresses.count(`channel ${id} from ${clientAddressOf(request, config)}`);
}

const refuseKey = (reply: FastifyReply): FastifyReply =>
  nameReason(reply, 'key_invalid').code(401).send({ error: 'The API key is not valid.' });

/** The key was valid when the request began and has been revoked since. Thrown where Fastify accepts only errors. */
const keyRevoked = (): AnsweredError => new AnsweredError('the key is not valid any more', refuseKey);

/** After the body has arrived, key, channel, address and signature are checked again (contract 5.2a). */
export function authenticateBody(
  services: ChannelApi,
  request: FastifyRequest,
  body: Buffer,
): void | Promise<void> {
  const found = services.directory.find(String(request.headers['x-api-key']));
  return found instanceof Promise
    ? found.then((channel) => judgeBody(services, request, channel, body))
    : judgeBody(services, request, found, body);
}

function judgeBody(
  services: ChannelApi,
  request: FastifyRequest,
  channel: ActiveChannel | null,
  body: Buffer,
): void {
  if (!channel) throw keyRevoked();
  if (channel !== request.channel) {
    if (!mayUse(services, request, channel)) {
      countForeign(services, request, channel);
      throw keyRevoked();
    }
    recheckPolicy(services, request, channel);
  }
  request.channel = channel;
  checkSignature(services, request, body);
}

const NO_BODY = Buffer.alloc(0);

/** The same for requests without a body that have waited for a change. */
export async function checkKeyAgain(services: ChannelApi, request: FastifyRequest): Promise<void> {
  await authenticateBody(services, request, NO_BODY);
}

/** The gate counts failures of its own commands; these requests did not reach it. */
const countFailure =
  ({ metrics }: ChannelApi, request: FastifyRequest) =>
  (error: unknown): never => {
    if (isForTheGate(request)) metrics.failure(error);
    throw error;
  };

export function channelOf(request: FastifyRequest): ActiveChannel {
  if (!request.channel) throw new Error('the route is not behind authentication');
  if (request.signature) throw new Error('the signature was not checked');
  return request.channel;
}
