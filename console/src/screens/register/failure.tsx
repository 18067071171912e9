import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { CircleAlert, RotateCw, SearchX } from 'lucide-react';
import { ApiError, messageOf } from '../../api/error.ts';
import { path } from '../../api/request.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { causeOf, isOfChannel } from './cause.ts';
import { words } from './words.ts';
import { LinkButton } from '../../components/index.ts';

interface FailureProps {
  error: unknown;
  channelId: number;
  onRetry: () => void;
}

/** Why there is no answer, what to do, and the message of the service. */
export function Failure({ error, channelId, onRetry }: FailureProps) {
  const w = useWords(words);
  const c = useWords(common);
  const cause = causeOf(error);
  const texts =
    error instanceof ApiError && error.hasFields ? Object.values(error.fields).flat() : [messageOf(error)];
  return (
    <Alert color="red" role="alert" title={w[cause]} icon={<CircleAlert size={18} aria-hidden />}>
      <Stack gap="xs">
        <Text size="sm">{w[`${cause}Do`]}</Text>
        {texts.map((text) => (
          <Text size="sm" key={text}>
            <b>{w.exactly}:</b> {text}
          </Text>
        ))}
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<RotateCw size={14} aria-hidden />}
            onClick={onRetry}
          >
            {c.retry}
          </Button>
          {isOfChannel(cause) && (
            <LinkButton size="xs" to={path`/channels/${channelId}`} label={w.toChannel} />
          )}
        </Group>
      </Stack>
    </Alert>
  );
}

/** The channel answered that it does not have the product. */
export function NotFound({ channel, code, said }: { channel: string; code: string; said: string[] }) {
  const w = useWords(words);
  return (
    <Alert
      color="orange"
      role="alert"
      title={w.notFound(channel, code)}
      icon={<SearchX size={18} aria-hidden />}
    >
      <Text size="sm">{w.notFoundDo}</Text>
      {said.map((text) => (
        <Text size="sm" mt={4} key={text}>
          <b>{w.exactly}:</b> {text}
        </Text>
      ))}
    </Alert>
  );
}
