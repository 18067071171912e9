import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { apiPath } from '../../api/address.ts';
import { request } from '../../api/request.ts';
import type { RegistrationChanges, RegistrationPlan } from '../../api/types.ts';
import type { InquiryAnswer } from './use-inquiry.ts';

/** Debounce, because the channel is asked again for each plan. */
const PAUSE_MS = 500;

/** The API call returns a plan for a dry run, and otherwise the changes made. */
export const isPlan = (answer: RegistrationPlan | RegistrationChanges): answer is RegistrationPlan =>
  'action' in answer.product;

/** What applying exactly these options would do, calculated by a dry run of the service. */
export function usePlan({ channel, code, at, info }: InquiryAnswer, codes: string[]) {
  const [settled] = useDebouncedValue(JSON.stringify(codes), PAUSE_MS);
  const isSettled = settled === JSON.stringify(codes);
  const plan = useQuery({
    queryKey: ['register-plan', channel.id, code, at, settled],
    queryFn: async ({ signal }) => {
      const body = { usercode: code, option_codes: JSON.parse(settled) as string[], dry_run: true };
      const to = apiPath('/channels/{id}/product-info/apply', { id: channel.id });
      const { data } = await request('post', to, { body, signal });
      if (!isPlan(data)) throw new TypeError('a dry run is answered with a plan');
      return data;
    },
    enabled: settled !== '[]' && info.errors.length === 0,
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  return {
    plan: plan.data,
    error: isSettled ? plan.error : null,
    /** The shown plan is for exactly the options that are picked now. */
    isCurrent: isSettled && plan.isSuccess && !plan.isPlaceholderData,
    retry: () => void plan.refetch(),
  };
}
