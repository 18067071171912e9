// The environment of programs that a test starts: the machine's own settings must not reach them.

const KEPT = ['PATH', 'HOME', 'NODE_COMPILE_CACHE'];

export const bareEnvironment = (): Record<string, string> =>
  Object.fromEntries(KEPT.flatMap((name) => (name in process.env ? [[name, process.env[name] ?? '']] : [])));

/** The variable that selects a database, for programs that use only their own. */
export const databaseVariable = (): string | undefined =>
  ['DATABASE_URL', 'DATABASE_URL_FILE'].find((name) => process.env[name]?.trim());
