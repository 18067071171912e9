// The channel policy: allowed addresses, rate limit and request signing. Only for administrators.
import { Button, Divider, Group, Select, Stack, Text, Textarea } from '@mantine/core';
import { KeyRound, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { SIGNING_MODES, SIGNING_SECRETS_MAX } from '../../../../../src/core/rules/signature.ts';
import { RATE_LIMIT_MAX } from '../../../../../src/core/rules/rate-limit.ts';
import { ApiError } from '../../../api/error.ts';
import { useSend } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { del, get, patch, post, put } from '../../../api/request.ts';
import type { Channel, NewSigningSecret, SigningMode, SigningSecret } from '../../../api/types.ts';
import {
  confirm,
  NumberField,
  Problem,
  SecretDialog,
  Section,
  Time,
  useForm,
  useNumberFault,
  wholeNumber,
} from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { OrderLimits } from './limits.tsx';
import { policyWords } from './words.ts';

const RATE_LIMITS = { min: 1, max: RATE_LIMIT_MAX };

export function ChannelPolicy({ channel }: { channel: Channel }) {
  const w = useWords(policyWords);
  return (
    <Section id="channel-policy" title={w.title}>
      <Stack gap="md">
        <AllowedAddresses channel={channel} />
        <Divider />
        <RateLimit channel={channel} />
        <Divider />
        <OrderLimits channelId={channel.id} />
        <Divider />
        <Mode channel={channel} />
        <Secrets channel={channel} />
      </Stack>
    </Section>
  );
}

const addressForm = ({ allowed_addresses }: Channel) => ({ allowed_addresses: allowed_addresses.join('\n') });

type AddressForm = ReturnType<typeof addressForm>;

const addressesOf = (typed: AddressForm): string[] =>
  typed.allowed_addresses
    .split('\n')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');

/** Addresses are stored as a whole: applies what was typed to those that are stored now. */
function mergedInto(now: string[], before: string[], typed: string[]): string[] {
  const kept = typed.filter((entry) => now.includes(entry) || !before.includes(entry));
  return [...kept, ...now.filter((entry) => !before.includes(entry) && !typed.includes(entry))];
}

/** One address or range per line; empty: any address. */
function AllowedAddresses({ channel }: { channel: Channel }) {
  const w = useWords(policyWords);
  const save = useSend(
    async ({ start, values }: Record<'start' | 'values', AddressForm>) => {
      const to = apiPath('/channels/{id}', { id: channel.id });
      const now = (await get(to)).allowed_addresses;
      return patch(to, { allowed_addresses: mergedInto(now, addressesOf(start), addressesOf(values)) });
    },
    {
      refresh: ['/channels'],
      failure: 'inline',
      done: ({ allowed_addresses }) => (allowed_addresses.length > 0 ? w.addressesSaved : w.addressesCleared),
      onDone: (saved) => form.saved(addressForm(saved)),
    },
  );
  const form = useForm(addressForm(channel), { error: save.error });
  const field = form.text('allowed_addresses');
  // The service names the entry by its index: `allowed_addresses.1`.
  const fault =
    save.error instanceof ApiError
      ? Object.entries(save.error.fields).find(([name]) => name.startsWith('allowed_addresses.'))
      : undefined;
  const seen = useRef(channel);
  useEffect(() => {
    if (seen.current === channel) return;
    seen.current = channel;
    if (!form.isDirty) form.reset(addressForm(channel));
  });
  return (
    <form onSubmit={form.submit((values) => save.mutate({ start: form.start, values }))} noValidate>
      <Stack gap="sm">
        <Textarea
          label={w.addresses}
          description={w.addressesHint}
          placeholder="203.0.113.0/24"
          autosize
          minRows={2}
          maxRows={8}
          spellCheck={false}
          {...field}
          error={
            fault === undefined
              ? field.error
              : `“${addressesOf(form.values)[Number(fault[0].split('.')[1])] ?? ''}”: ${fault[1]?.[0] ?? ''}`
          }
          onChange={(event) => {
            save.reset();
            field.onChange(event);
          }}
        />
        <Problem error={save.error} except={[...form.names, ...(fault ? [fault[0]] : [])]} />
        <Group>
          <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty}>
            {w.saveAddresses}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type LimitForm = Record<'requests_per_minute' | 'burst', string>;

const formOf = ({ rate_limit }: Channel): LimitForm => ({
  requests_per_minute: String(rate_limit?.requests_per_minute ?? ''),
  burst: String(rate_limit?.burst ?? ''),
});

/** An empty rate means no limit. */
function RateLimit({ channel }: { channel: Channel }) {
  const w = useWords(policyWords);
  const c = useWords(common);
  const save = useSend(
    async ({ values, changed }: { values: LimitForm; changed: Partial<LimitForm> }) => {
      // A limit is stored as a whole: another user may have changed the other number meanwhile.
      const stored = await get(apiPath('/channels/{id}', { id: channel.id }));
      const { requests_per_minute, burst } =
        stored.rate_limit === null ? values : { ...formOf(stored), ...changed };
      return put(
        apiPath('/channels/{id}/rate-limit', { id: channel.id }),
        requests_per_minute.trim() === ''
          ? { requests_per_minute: null }
          : { requests_per_minute: wholeNumber(requests_per_minute), burst: wholeNumber(burst) },
      );
    },
    {
      refresh: ['/channels'],
      failure: 'inline',
      done: ({ rate_limit }) => (rate_limit ? w.limited : w.unlimited),
      onDone: (saved) => form.saved(formOf(saved)),
    },
  );
  const faultOf = useNumberFault();
  const faults = (typed: LimitForm): Partial<LimitForm> =>
    Object.fromEntries(
      Object.entries(typed).flatMap(([name, text]) => {
        const fault = faultOf(text, RATE_LIMITS);
        return fault === undefined ? [] : [[name, fault]];
      }),
    );
  const form = useForm(formOf(channel), {
    error: save.error,
    check: ({ requests_per_minute, burst }) => ({
      ...(requests_per_minute.trim() !== '' && burst.trim() === '' ? { burst: c.required } : {}),
      ...faults({ requests_per_minute, burst }),
    }),
  });
  const seen = useRef(channel);
  useEffect(() => {
    if (seen.current === channel) return;
    seen.current = channel;
    // Saved by another user: shown immediately, unless the user is typing.
    if (!form.isDirty) form.reset(formOf(channel));
  });
  return (
    <form onSubmit={form.submit((values, changed) => save.mutate({ values, changed }))} noValidate>
      <Stack gap="sm">
        <Group grow align="flex-start">
          <NumberField
            label={w.perMinute}
            description={w.perMinuteHint}
            {...RATE_LIMITS}
            {...form.text('requests_per_minute')}
          />
          <NumberField label={w.burst} description={w.burstHint} {...RATE_LIMITS} {...form.text('burst')} />
        </Group>
        <Problem error={save.error} except={form.names} />
        <Group>
          <Button type="submit" variant="default" loading={save.isPending} disabled={!form.isDirty}>
            {w.saveLimit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Mode({ channel }: { channel: Channel }) {
  const w = useWords(policyWords);
  const { mode, secrets } = channel.signing;
  const send = useSend(
    (chosen: SigningMode) => put(apiPath('/channels/{id}/signing', { id: channel.id }), { mode: chosen }),
    { refresh: ['/channels'], done: ({ signing }) => w.modeSaved(w[signing.mode]) },
  );
  const choose = async (chosen: SigningMode) => {
    const question = { title: w.requireTitle(channel.name), text: w.requireText, confirm: w.require };
    if (chosen !== mode && (chosen !== 'required' || (await confirm(question)))) send.mutate(chosen);
  };
  return (
    <Select
      label={w.signing}
      description={secrets.length === 0 ? w.needsSecret : w.signingHint}
      data={SIGNING_MODES.map((value) => ({
        value,
        label: w[value],
        disabled: value === 'required' && secrets.length === 0,
      }))}
      value={mode}
      allowDeselect={false}
      disabled={send.isPending}
      onChange={(value) => void choose(value as SigningMode)}
    />
  );
}

function Secrets({ channel }: { channel: Channel }) {
  const w = useWords(policyWords);
  const [made, setMade] = useState<NewSigningSecret | null>(null);
  const { secrets } = channel.signing;
  const add = useSend(() => post(apiPath('/channels/{id}/signing-secrets', { id: channel.id })), {
    refresh: ['/channels'],
    onDone: setMade,
  });
  return (
    <Stack gap="sm">
      {secrets.map((secret) => (
        <LiveSecret key={secret.id} channel={channel} secret={secret} />
      ))}
      <Group justify="space-between" wrap="nowrap">
        <Text size="sm" c="dimmed">
          {w.secretsHint}
        </Text>
        <Button
          variant="default"
          style={{ flex: 'none' }}
          loading={add.isPending}
          disabled={secrets.length >= SIGNING_SECRETS_MAX}
          leftSection={<KeyRound size={16} aria-hidden />}
          onClick={() => add.mutate()}
        >
          {w.newSecret}
        </Button>
      </Group>
      {made !== null && (
        <SecretDialog
          title={w.secretTitle(channel.name)}
          text={w.secretText}
          label={w.secret}
          value={made.secret}
          done={w.secretKept}
          onClose={() => setMade(null)}
        />
      )}
    </Stack>
  );
}

function LiveSecret({ channel, secret }: { channel: Channel; secret: SigningSecret }) {
  const w = useWords(policyWords);
  const { mode, secrets } = channel.signing;
  const remove = useSend(
    () => del(apiPath('/channels/{id}/signing-secrets/{secretId}', { id: channel.id, secretId: secret.id })),
    {
      refresh: ['/channels'],
      done: () => w.secretRemoved(secret.id),
    },
  );
  const ask = async () => {
    const question = { title: w.removeTitle(secret.id), text: w.removeText, confirm: w.remove, danger: true };
    if (await confirm(question)) remove.mutate();
  };
  return (
    <Group justify="space-between" wrap="nowrap">
      <div>
        <Text size="sm">
          {w.secretNumber(secret.id)}: <Time at={secret.created_at} />
        </Text>
        <Text size="sm" c="dimmed">
          {w.lastUsed}: <Time at={secret.last_used_at} relative />
        </Text>
      </div>
      <Button
        variant="default"
        style={{ flex: 'none' }}
        loading={remove.isPending}
        disabled={mode === 'required' && secrets.length === 1}
        leftSection={<Trash2 size={16} aria-hidden />}
        aria-label={`${w.remove}: ${w.secretNumber(secret.id)}`}
        onClick={() => void ask()}
      >
        {w.remove}
      </Button>
    </Group>
  );
}
