// echo: what HTTP, JSON and the key alone cost. static: a list from memory. Neither has a database.
import type { FastifyInstance, FastifyReply } from 'fastify';
import { parseJsonBody } from '../../../src/http/json-body.ts';
import { takeShortWay } from '../../../src/http/short-way.ts';
import type { Samples } from './samples.ts';

export function registerEcho(app: FastifyInstance, samples: Samples, apiKey: string): void {
  const keys = new Set<unknown>([apiKey]);
  const answer = (reply: FastifyReply, status: number, body: Buffer | string): FastifyReply =>
    reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
  const order = samples.order.toString();
  const refusal = samples.refusal.toString();
  const lookup = samples.lookup.toString();

  // As the service answers orders.
  const posts = new Map([
    ['/echo/orders', { status: 201, text: order }],
    ['/echo/refused', { status: 422, text: refusal }],
  ]);
  takeShortWay(app.server, {
    recognise: ({ method, url = '', headers }) => {
      const post = method === 'POST' ? posts.get(url) : undefined;
      return post && keys.has(headers['x-api-key']) ? { route: url, post } : null;
    },
    work: ({ post }, body) => {
      parseJsonBody(body);
      return Promise.resolve(post);
    },
    headers: {},
    answered: () => {},
  });
  app.get('/echo/inventory/:sku', (_request, reply) => answer(reply, 200, lookup));
  app.get('/static/inventory', (_request, reply) => answer(reply, 200, samples.list));
}
