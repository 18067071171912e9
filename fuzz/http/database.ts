// An embedded PostgreSQL in a temporary directory, migrated and empty.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../../src/store/embedded/server.ts';
import { migrate } from '../../src/store/migrations.ts';

export async function startDatabase(signal: AbortSignal): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'sluice-fuzz-'));
  const log = { info: () => {}, warn: (message: string) => console.error(message) };
  const remove = () => rm(dataDir, { recursive: true, force: true });
  try {
    // fsync off: what is tested is what is answered and written, not the disk.
    const server = await startEmbedded({ dataDir, log, signal, settings: { fsync: 'off' } });
    await migrate(server.url);
    const stop = async (): Promise<void> => {
      await server.stop();
      await remove();
    };
    return { url: server.url, stop };
  } catch (error) {
    await remove();
    throw error;
  }
}
