import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);
const LEVEL = 3;

/** Compressed pages, kept as long as the page itself: only changed pages are compressed again. */
const compressed = new WeakMap<Buffer, Promise<Buffer>>();

function compress(buffer: Buffer): Promise<Buffer> {
  let result = compressed.get(buffer);
  if (!result) {
    // A full flush ends on a byte boundary and resets the window, so that the pieces can be concatenated.
    result = deflate(buffer, { level: LEVEL, finishFlush: constants.Z_FULL_FLUSH });
    compressed.set(buffer, result);
    // A failure, such as a lack of memory, is not kept: the next request compresses the page again.
    result.catch(() => compressed.delete(buffer));
  }
  return result;
}

/** Each compression takes 256 KB: 800 pages at once took 200 MB. */
const COMPRESSIONS_AT_ONCE = 8;

export async function compressAll(buffers: readonly Buffer[]): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  // All workers share one iterator: each takes the next buffer when it is free.
  const left = buffers.entries();
  const work = async (): Promise<void> => {
    for (const [index, buffer] of left) pieces[index] = await compress(buffer);
  };
  const done = await Promise.allSettled(Array.from({ length: COMPRESSIONS_AT_ONCE }, work));
  // Wait for all, also after an error: the caller may then release the pages.
  for (const one of done) if (one.status === 'rejected') throw one.reason;
  return pieces;
}

const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const LAST_BLOCK = Buffer.from([3, 0]);

/** One gzip stream from independently compressed pieces. */
export async function gzipped(buffers: readonly Buffer[]): Promise<Buffer[]> {
  const pieces = await compressAll(buffers);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(
    buffers.reduce((crc, buffer) => crc32(buffer, crc), 0),
    0,
  );
  trailer.writeUInt32LE(buffers.reduce((sum, buffer) => sum + buffer.length, 0) % 2 ** 32, 4);
  return [GZIP_HEADER, ...pieces, LAST_BLOCK, trailer];
}
