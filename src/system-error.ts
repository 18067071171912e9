/** What Node and the database driver add to an error, as far as it has it. */
type SystemError = Partial<NodeJS.ErrnoException> & { address?: string; port?: number };

/** The fields of whatever was thrown: `catch` gives `unknown`. */
export const systemError = (error: unknown): SystemError => (error instanceof Error ? error : {});

export const asError = (thrown: unknown): Error =>
  thrown instanceof Error ? thrown : new Error(String(thrown));
