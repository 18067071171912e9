// Which operation of the channel API a request meant, and where it is described: from the service's own document.
import type { OpenApiDocument } from '../../src/http/docs/openapi.ts';

export interface Operation {
  method: string;
  path: RegExp;
  /** As the reference names it. */
  id: string;
}

const PREFIX = '/api/v1';
const REFERENCE = '/docs#api';

/** Fixed paths before those with parameters. */
export function operationsOf({ paths }: OpenApiDocument): Operation[] {
  const listed = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      method: method.toUpperCase(),
      path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      id: operationId,
      parameters: path.split('{').length,
    })),
  );
  return listed.toSorted((a, b) => a.parameters - b.parameters);
}

export interface Meant {
  /** null: none has this method and path */
  id: string | null;
  link: string;
  /** What would have been there, had the method or the prefix been another; null: nothing near it. */
  near: string | null;
}

export function meantBy(operations: readonly Operation[], method: string, address: string): Meant {
  const path = address.split('?')[0] ?? '';
  const hasPrefix = path.startsWith(`${PREFIX}/`);
  const rest = hasPrefix ? path.slice(PREFIX.length) : path.replace(/^(?:\/api|\/v1)+/, '');
  const there = operations.filter((operation) => operation.path.test(rest));
  const exact = hasPrefix ? there.find((operation) => operation.method === method) : undefined;
  if (exact) return { id: exact.id, link: `${REFERENCE}-${exact.id}`, near: null };
  const [near] = there.toSorted((a, b) => Number(b.method === method) - Number(a.method === method));
  if (near) return { id: null, link: `${REFERENCE}-${near.id}`, near: `${near.method} ${PREFIX}${rest}` };
  return { id: null, link: REFERENCE, near: null };
}
