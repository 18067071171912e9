// Messages of the embedded server for the operator.

export interface Log {
  info(message: string): void;
  warn(message: string): void;
}

/** The embedded server cannot be started; the message is one sentence for the terminal. */
export class EmbeddedStartError extends Error {
  override readonly name = 'EmbeddedStartError';
}

const DISK_FULL = new Set(['ENOSPC', 'EDQUOT', '53100']);
const NOT_WRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOENT', 'ELOOP', 'EIO']);

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** Turns a file system error into a message for the operator; other errors are bugs and stay unchanged. */
export function asStartError(error: unknown, dataDir: string): unknown {
  const code = errorCode(error);
  if (DISK_FULL.has(code)) {
    return new EmbeddedStartError(`the disk that holds ${dataDir} is full`, { cause: error });
  }
  if (NOT_WRITABLE.has(code)) {
    const reason = error instanceof Error ? error.message : code;
    return new EmbeddedStartError(`the data directory ${dataDir} cannot be used: ${reason}`, {
      cause: error,
    });
  }
  return error;
}
