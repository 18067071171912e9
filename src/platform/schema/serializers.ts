// Fastify compiles a serializer for every response of every route; most use the same few schemas.
import Fastify, { type FastifyInstance } from 'fastify';
import { compileOnce } from './compiled.ts';

/** Fastify's own compiler. It exists only after a route has needed one. */
async function ownCompiler() {
  const app = Fastify();
  app.get('/', { schema: { response: { 200: { type: 'null' } } } }, async () => null);
  await app.ready();
  const { serializerCompiler } = app;
  if (!serializerCompiler) throw new Error('Fastify compiles no serializers');
  return compileOnce<unknown, string>((schema) => serializerCompiler({ schema, method: '', url: '' }));
}

let compiler: ReturnType<typeof ownCompiler> | null = null;

export async function compileSerializersOnce(app: FastifyInstance): Promise<void> {
  compiler ??= ownCompiler();
  app.setSerializerCompiler<object>(await compiler);
}
