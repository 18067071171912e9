import { Alert, Button, Paper, Select, TextInput } from '@mantine/core';
import { CloudDownload, TriangleAlert } from 'lucide-react';
import { useState, type SyntheticEvent } from 'react';
import { Link } from 'react-router';
import { CODE_CHARACTERS_MAX } from '../../../../src/platform/values/text-limits.ts';
import { path } from '../../api/request.ts';
import type { Channel } from '../../api/types.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

interface AskProps {
  channels: Channel[];
  channelId: string;
  onChannel: (id: string) => void;
  code: string;
  onCode: (code: string) => void;
  isAsking: boolean;
  onAsk: (channel: Channel, code: string) => void;
}

export function AskForm({ channels, channelId, onChannel, code, onCode, isAsking, onAsk }: AskProps) {
  const w = useWords(words);
  const c = useWords(common);
  const [isChecked, setIsChecked] = useState(false);
  const channel = channels.find(({ id }) => String(id) === channelId);
  const lacksAddress = channel !== undefined && channel.api_url === null;
  const labelOf = ({ name, api_url, is_active }: Channel) =>
    api_url === null ? w.noAddress(name) : is_active ? name : w.inactive(name);
  const submit = (event: SyntheticEvent<HTMLFormElement>) => {
    event.preventDefault();
    setIsChecked(true);
    if (channel !== undefined && !lacksAddress && code.trim() !== '') onAsk(channel, code.trim());
  };
  return (
    <Paper>
      <form noValidate onSubmit={submit} className="register-ask">
        <Select
          label={c.channel}
          placeholder={w.chooseChannel}
          searchable
          allowDeselect={false}
          value={channel === undefined ? null : channelId}
          onChange={(id) => onChannel(id ?? '')}
          data={channels.map((one) => ({ value: String(one.id), label: labelOf(one) }))}
          error={isChecked && channel === undefined ? c.required : undefined}
        />
        <TextInput
          label={w.code}
          description={w.codeHint}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          name="code"
          maxLength={CODE_CHARACTERS_MAX}
          autoComplete="off"
          spellCheck={false}
          value={code}
          onChange={(event) => onCode(event.currentTarget.value)}
          error={isChecked && code.trim() === '' ? c.required : undefined}
        />
        <Button
          type="submit"
          loading={isAsking}
          disabled={lacksAddress}
          leftSection={<CloudDownload size={16} aria-hidden />}
        >
          {w.fetch}
        </Button>
      </form>
      {lacksAddress && (
        <Alert color="orange" mt="sm" p="xs" icon={<TriangleAlert size={18} aria-hidden />}>
          {w.noAddressText} <Link to={path`/channels/${channel.id}`}>{w.toChannel}</Link>
        </Alert>
      )}
    </Paper>
  );
}
