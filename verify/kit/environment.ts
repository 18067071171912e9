// What a program that a test starts gets from us: the machine's own settings must not reach it.

const KEPT = ['PATH', 'HOME', 'NODE_COMPILE_CACHE'];

/** Where the programs are, and the modules that others of the run have compiled. */
export const bareEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    KEPT.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
