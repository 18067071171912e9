// Fastify compiles a serializer for every response of every route; most use the same few schemas.
import Fastify, { type FastifyInstance } from 'fastify';
import { compileOnce, type When } from './compiled.ts';
import { compileValidator } from './validation.ts';

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

/** For the routes of a scope. */
export async function compileSchemas(scope: FastifyInstance, when: When): Promise<void> {
  compiler ??= ownCompiler();
  const compile = (await compiler)[when];
  scope.setSerializerCompiler<object>(({ schema }) => compile(schema));
  scope.setValidatorCompiler(compileValidator(when));
}
