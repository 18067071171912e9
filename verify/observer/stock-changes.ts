// Stock changes by an administrator.
import type { Knowledge } from './knowledge.ts';
import { saidBy, requestWords, type ServiceRequest, type Judge } from './requests.ts';
import { errorFault } from './shapes.ts';

type Adjustment = Extract<ServiceRequest, { kind: 'adjust' }>;
type Count = Extract<ServiceRequest, { kind: 'count' }>;

const quantityIn = (json: unknown): number | undefined =>
  (json as { data?: { quantity?: number } } | undefined)?.data?.quantity;

export function judgeAdjustment(knowledge: Knowledge, request: Adjustment): Judge {
  const { variant_code, delta } = request;
  const words = requestWords(request);
  knowledge.stock?.adjusting(variant_code, delta);
  return (answer) => {
    if (answer.status === 200 && (quantityIn(answer.json) ?? -1) >= 0) {
      knowledge.stock?.adjusted(variant_code, delta);
      return { kind: 'adjusted', words };
    }
    if (answer.status === 422 && delta < 0 && errorFault(answer.json) === null)
      return { kind: 'refused', words };
    return knowledge.addViolation(null, `${words} was answered ${saidBy(answer)}.`);
  };
}

/** A counted item is not sold, so the sums do not include it. */
export function judgeCount(knowledge: Knowledge, request: Count): Judge {
  const words = requestWords(request);
  return (answer) => {
    if (answer.status === 200 && quantityIn(answer.json) === request.quantity)
      return { kind: 'counted', words };
    const isStale = (answer.json as { code?: unknown } | undefined)?.code === 'stale';
    if (answer.status === 409 && isStale) return { kind: 'stale', words };
    return knowledge.addViolation(null, `${words} was answered ${saidBy(answer)}.`);
  };
}
