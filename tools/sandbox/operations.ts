// Finds the operation of the channel API that a request probably meant, and its documentation, in the OpenAPI
// document.
import type { OpenApiDocument } from '../../src/platform/docs/document.ts';

export interface Operation {
  method: string;
  path: RegExp;
  /** The operation's id in the reference. */
  id: string;
}

const PREFIX = '/api/v1';
const REFERENCE = '/docs#api';

/** Fixed paths come before those with parameters. */
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
  /** null: no operation has this method and path */
  id: string | null;
  link: string;
  /** A similar operation with another method or prefix; null: none. */
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
