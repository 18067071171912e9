// Compiles validators and serializers from the schemas of the routes. Compiling all of them took a third of the CPU time
// of a start. Most routes belong to the back office, and theirs are compiled at the first request that needs them. Routes
// of channels are compiled before the service listens, so that no order waits for it.

type Compile<Value, Result> = (schema: object) => (value: Value) => Result;

export type When = 'at_start' | 'at_first_use';

/** Each schema is compiled once per process, however many routes and services use it. */
export function compileOnce<Value, Result>(
  compile: Compile<Value, Result>,
): Record<When, Compile<Value, Result>> {
  const compiled = new WeakMap<object, (value: Value) => Result>();
  const compiledFor = (schema: object): ((value: Value) => Result) => {
    const known = compiled.get(schema) ?? compile(schema);
    compiled.set(schema, known);
    return known;
  };
  return {
    at_start: compiledFor,
    at_first_use: (schema) => {
      let run: ((value: Value) => Result) | null = null;
      return (value) => (run ??= compiledFor(schema))(value);
    },
  };
}
