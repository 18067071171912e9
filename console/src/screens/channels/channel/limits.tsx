// The limits of a channel on its orders (contract 10.24). Only for administrators.
import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import {
  LIMIT_NAMES,
  LIMIT_RANGES,
  type ChannelLimits,
} from '../../../../../src/core/rules/channel-limits.ts';
import { apiPath } from '../../../api/address.ts';
import { useGet, useSend } from '../../../api/query.ts';
import { get, put } from '../../../api/request.ts';
import { NumberField, Problem, useForm, useNumberFault, wholeNumber } from '../../../components/index.ts';
import { useWords } from '../../../i18n/words.ts';
import { policyWords } from './words.ts';

type LimitsForm = Record<keyof ChannelLimits, string>;

const each = <T,>(value: (name: keyof ChannelLimits) => T): Record<keyof ChannelLimits, T> => ({
  line_quantity_max: value('line_quantity_max'),
  unpaid_quantity_max: value('unpaid_quantity_max'),
  unpaid_percent_max: value('unpaid_percent_max'),
  backordered_quantity_max: value('backordered_quantity_max'),
});

const formOf = (limits: ChannelLimits): LimitsForm => each((name) => String(limits[name] ?? ''));

export function OrderLimits({ channelId }: { channelId: number }) {
  const { data } = useGet(apiPath('/channels/{id}/limits', { id: channelId }));
  return data ? <Limits channelId={channelId} limits={data} /> : null;
}

/** An empty field means no limit. */
function Limits({ channelId, limits }: { channelId: number; limits: ChannelLimits }) {
  const w = useWords(policyWords);
  const save = useSend(
    async (changed: Partial<LimitsForm>) => {
      // Limits are stored as a whole: another user may have changed another one meanwhile.
      const to = apiPath('/channels/{id}/limits', { id: channelId });
      const wanted = { ...formOf(await get(to)), ...changed };
      return put(
        to,
        each((name) => (wanted[name].trim() === '' ? null : wholeNumber(wanted[name]))),
      );
    },
    {
      refresh: ['/channels'],
      failure: 'inline',
      done: () => w.limitsSaved,
      onDone: (saved) => form.saved(formOf(saved)),
    },
  );
  const faultOf = useNumberFault();
  const rangeOf = (name: keyof ChannelLimits) => ({
    min: LIMIT_RANGES[name].minimum,
    max: LIMIT_RANGES[name].maximum,
  });
  const form = useForm(formOf(limits), {
    error: save.error,
    check: (typed) =>
      Object.fromEntries(
        LIMIT_NAMES.flatMap((name) => {
          const fault = faultOf(typed[name], rangeOf(name));
          return fault === undefined ? [] : [[name, fault]];
        }),
      ),
  });
  const seen = useRef(limits);
  useEffect(() => {
    if (seen.current === limits) return;
    seen.current = limits;
    // Saved by another user: shown immediately, unless the user is typing.
    if (!form.isDirty) form.reset(formOf(limits));
  });
  return (
    <form onSubmit={form.submit((_values, changed) => save.mutate(changed))} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {w.limitsHint}
        </Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {LIMIT_NAMES.map((name) => (
            <NumberField
              key={name}
              label={w[name]}
              description={w.limitEmpty}
              {...rangeOf(name)}
              {...form.text(name)}
            />
          ))}
        </SimpleGrid>
        <Problem error={save.error} except={form.names} />
        <Group>
          <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty}>
            {w.saveLimits}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
