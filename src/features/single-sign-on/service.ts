import type { Core } from '../../core/assembly/core.ts';
import type { FeatureService } from '../../core/assembly/feature.ts';
import { WrongCredentials, type CountsByAddress } from '../../platform/accounts/wrong-credentials.ts';
import { topic } from '../../platform/supervisor/other-workers.ts';
import { registerOidc } from './operations.ts';

/** Anyone can begin a sign-in, and each failure is a request to the provider and a line in the log. */
const FAILED_SIGN_ONS_PER_MINUTE_MAX = 20;
/** Failed sign-ins at the provider since the worker's last message. */
const FAILED_SIGN_ONS = topic<CountsByAddress>('failed_sign_ons');

export function start(core: Core): FeatureService {
  const failedSignOns = new WrongCredentials({
    per_minute_max: FAILED_SIGN_ONS_PER_MINUTE_MAX,
    tell: (counts) => void core.others.ask(FAILED_SIGN_ONS, counts),
    report: () => {}, // each one has its own line in the log
  });
  core.answers.on(FAILED_SIGN_ONS, (counts) => {
    failedSignOns.learn(counts);
    return null;
  });
  return { operations: (admin) => registerOidc(admin, { ...core, failedSignOns }) };
}
