// The paths of the API with their types from the OpenAPI document (schema.ts), so that the compiler checks request and
// response of each path.
import type { Paths } from './schema.ts';

type Template = keyof Paths;
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

declare const TEMPLATE: unique symbol;
/** A path whose parameters are filled in. */
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

/** A path that supports the method: the plain path if it has no parameters, otherwise built by `apiPath`. */
export type To<M extends Method> =
  TemplatesWith<M> extends infer T extends Template
    ? T extends `${string}{${string}`
      ? Filled<T>
      : T
    : never;

type TemplateOf<A> = A extends Filled<infer T> ? T : A extends Template ? A : never;
type Operation<A, M extends Method> =
  TemplateOf<A> extends infer T extends Template ? (M extends keyof Paths[T] ? Paths[T][M] : never) : never;

/** The whole body of a successful answer. */
export type AnswerTo<A, M extends Method> =
  Operation<A, M> extends { answers: infer R } ? R[keyof R & ('200' | '201' | '204')] : never;
/** `data` of the answer; null: no body. */
export type Data<A, M extends Method> =
  AnswerTo<A, M> extends infer R ? (R extends { data: infer D } ? D : null) : never;
/** One row of a list. */
export type Row<A> = Data<A, 'get'> extends (infer R)[] ? R : never;

export type Body<A, M extends Method> = Operation<A, M> extends { body: infer B } ? B : undefined;

type QueryValue = string | number | boolean | null | undefined;
/** Empty strings, null and undefined are left out; a list becomes repeated parameters. */
export type Query = Record<string, QueryValue | readonly QueryValue[]>;
/** The names are checked by the compiler, the values by the service. */
export type QueryOf<A> =
  Operation<A, 'get'> extends { query: infer Q }
    ? Partial<Record<keyof Q, Query[string]>>
    : Record<string, never>;
