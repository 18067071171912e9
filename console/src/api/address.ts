// The paths of the API with their types, from the OpenAPI document (schema.ts): what is sent to a path and what comes back is
// known to the compiler, and nothing is taken on trust.
import type { Paths } from './schema.ts';

type Template = keyof Paths;
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

declare const TEMPLATE: unique symbol;
/** A path whose values are filled in. */
type Filled<T extends Template> = string & { readonly [TEMPLATE]: T };

type Names<T extends string> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;

/** apiPath('/channels/{id}/mappings', { id }): every value percent-encoded. */
export const apiPath = <T extends Template>(
  template: T,
  values: Record<Names<T>, string | number>,
): Filled<T> =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: Names<T>) => encodeURIComponent(values[name])) as Filled<T>;

type TemplatesWith<M extends Method> = {
  [T in Template]: M extends keyof Paths[T] ? T : never;
}[Template];

/** A path that has the method: as it is, where it has no values, or by `apiPath`. */
export type To<M extends Method> =
  TemplatesWith<M> extends infer T extends Template
    ? T extends `${string}{${string}`
      ? Filled<T>
      : T
    : never;

type TemplateOf<A> = A extends Filled<infer T> ? T : A extends Template ? A : never;
type Operation<A, M extends Method> =
  TemplateOf<A> extends infer T extends Template ? (M extends keyof Paths[T] ? Paths[T][M] : never) : never;

/** The whole answer of a success. */
export type Answer<A, M extends Method> =
  Operation<A, M> extends { answers: infer R } ? R[keyof R & ('200' | '201' | '204')] : never;
/** `data` of it; null: there is no body. */
export type Data<A, M extends Method> =
  Answer<A, M> extends infer R ? (R extends { data: infer D } ? D : null) : never;
/** One of a list. */
export type Row<A> = Data<A, 'get'> extends (infer R)[] ? R : never;

export type Body<A, M extends Method> = Operation<A, M> extends { body: infer B } ? B : undefined;

type QueryValue = string | number | boolean | null | undefined;
/** Empty texts, null and undefined are left out; a list is repeated. */
export type Query = Record<string, QueryValue | readonly QueryValue[]>;
/** By name; the values are checked by the service. */
export type QueryOf<A> =
  Operation<A, 'get'> extends { query: infer Q }
    ? Partial<Record<keyof Q, Query[string]>>
    : Record<string, never>;
