/** The fields that Node and the database driver may add to an error. */
type SystemError = Partial<NodeJS.ErrnoException> & { address?: string; port?: number };

/** The fields of a caught value, which has the type `unknown`. */
export const systemError = (error: unknown): SystemError => (error instanceof Error ? error : {});

export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
