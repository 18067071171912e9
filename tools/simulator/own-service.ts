// A service on its own data with the demo catalogue; deleted after the run.
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bareEnvironment } from '../../verify/kit/environment.ts';
import { startService, temporaryDirectory } from '../../verify/kit/process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export interface OwnService {
  origin: string;
  admin_token: string;
  stop(): Promise<void>;
}

export async function startOwnService(): Promise<OwnService> {
  const directory = await temporaryDirectory();
  const env = {
    SLUICE_DATA_DIR: directory.path,
    SLUICE_ADMIN_TOKEN: randomUUID(),
    // The channels' product-information address is on this machine.
    SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1',
    LOG_LEVEL: 'warn',
  };
  const service = await startService(env, ['bin/serve']);
  const stop = async (): Promise<void> => {
    await service.stop();
    await directory.remove();
  };
  try {
    await seedDemoData({ ...bareEnvironment(), ...env });
    return { origin: service.origin, admin_token: env.SLUICE_ADMIN_TOKEN, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs `sluice seed` for the service with this environment. */
export async function seedDemoData(env: NodeJS.ProcessEnv): Promise<void> {
  await promisify(execFile)(process.execPath, ['src/start/cli.ts', 'seed'], { cwd: ROOT, env });
}
