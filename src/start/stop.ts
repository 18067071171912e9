// Stops the service, or exits the process if that takes too long.
import { STOP_TIMEOUT_MS } from '../platform/supervisor/worker.ts';
import type { Service, StopOptions } from './service.ts';

export async function stopInTime(
  service: Service,
  options: StopOptions & { drain_ms: number; hurry: AbortSignal },
): Promise<void> {
  const { drain_ms, linger_ms = 0 } = options;
  setTimeout(
    () => {
      const seconds = STOP_TIMEOUT_MS / 1000;
      service.services.log.error(
        `requests are still running ${seconds} s after the stop began: exiting without their responses`,
      );
      process.exit(1);
    },
    drain_ms + linger_ms + STOP_TIMEOUT_MS,
  ).unref();
  try {
    await service.stop(options);
  } catch (error) {
    service.services.log.error({ err: error }, 'the stop failed');
    process.exitCode = 1;
  }
}
