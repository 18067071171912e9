import type { FeatureService } from '../../core/assembly/feature.ts';
import { expireOrders } from './job.ts';

export function start(): FeatureService {
  return { jobs: [expireOrders] };
}
