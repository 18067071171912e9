// echo: the cost of HTTP, JSON and the key lookup. static: a list from memory. Neither uses a database.
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Samples } from './samples.ts';

export function registerEcho(app: FastifyInstance, samples: Samples): void {
  const answer = (reply: FastifyReply, status: number, body: Buffer | string): FastifyReply =>
    reply.code(status).header('content-type', 'application/json; charset=utf-8').send(body);
  const order = samples.order.toString();
  const refusal = samples.refusal.toString();
  const lookup = samples.lookup.toString();

  app.post('/echo/orders', (_request, reply) => answer(reply, 201, order));
  app.post('/echo/refused', (_request, reply) => answer(reply, 422, refusal));
  app.get('/echo/inventory/:sku', (_request, reply) => answer(reply, 200, lookup));
  app.get('/static/inventory', (_request, reply) => answer(reply, 200, samples.list));
}
