// Section 5: every request names its channel by key, before anything else of it is looked at.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ActiveChannel } from '../../store/channels.ts';
import type { Services } from '../services.ts';

declare module 'fastify' {
  interface FastifyRequest {
    channel: ActiveChannel | null;
  }
}

/** The channel behind the key, or null after a 401 has been sent. */
export async function authenticate(
  services: Services,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<ActiveChannel | null> {
  const key = request.headers['x-api-key'];
  if (typeof key !== 'string' || key === '') {
    void reply.code(401).send({ error: 'An API key is required in the header X-Api-Key.' });
    return null;
  }
  const channel = await services.directory.find(key);
  if (!channel) void reply.code(401).send({ error: 'The API key is not valid.' });
  return channel;
}

export function channelOf(request: FastifyRequest): ActiveChannel {
  if (!request.channel) throw new Error('the route is not behind authentication');
  return request.channel;
}
