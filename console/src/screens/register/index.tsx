// Product registration: ask a channel, review its answer, pick options, preview the effect, apply.
import { Stack, Text } from '@mantine/core';
import { CloudDownload, Store } from 'lucide-react';
import { useState } from 'react';
import { useAll } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { Channel, RegistrationChanges } from '../../api/types.ts';
import {
  EmptyState,
  LinkButton,
  Page,
  Reading,
  useUnsavedWarning,
  useUrlState,
} from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { Answer } from './answer.tsx';
import { AskForm } from './ask-form.tsx';
import { Asking } from './asking.tsx';
import { Done } from './done.tsx';
import { Failure, NotFound } from './failure.tsx';
import { Plan } from './plan.tsx';
import './register.css';
import { useInquiry, type Inquiry, type InquiryAnswer } from './use-inquiry.ts';
import { words } from './words.ts';

export default function Register() {
  const w = useWords(words);
  const mayRegister = useCan('operator');
  const channels = useAll(mayRegister ? '/channels' : null);
  return (
    <Page title={w.title} description={w.description} back={{ to: '/products', label: w.backTo }}>
      {mayRegister ? (
        <Reading query={channels}>
          {(all) => (all.length === 0 ? <NoChannels /> : <Desk channels={all} />)}
        </Reading>
      ) : (
        <EmptyState title={w.roleTitle} text={w.roleText} />
      )}
    </Page>
  );
}

const NoChannels = () => {
  const w = useWords(words);
  return (
    <EmptyState
      icon={Store}
      title={w.noChannels}
      text={w.noChannelsText}
      action={<LinkButton to="/channels" label={w.toChannels} />}
    />
  );
};

/** The default choice: all options that are not hidden from customers. */
const usualPicks = ({ info }: InquiryAnswer): Set<string> =>
  new Set(info.skus.filter(({ hidden }) => !hidden).map(({ option_code }) => option_code));

/** If the same product is fetched again, picked options stay picked if they still exist. */
function picksAfter(
  before: InquiryAnswer | null,
  picked: ReadonlySet<string>,
  now: InquiryAnswer,
): Set<string> {
  const isSame = before !== null && before.channel.id === now.channel.id && before.code === now.code;
  if (!isSame || before.info.errors.length > 0 || !before.info.found) return usualPicks(now);
  return new Set(now.info.skus.map(({ option_code }) => option_code).filter((code) => picked.has(code)));
}

const isSameSet = (a: ReadonlySet<string>, b: ReadonlySet<string>) =>
  a.size === b.size && [...a].every((one) => b.has(one));

/** An answer is shown, and can be applied, only while the form names its product and no later inquiry has failed. */
const isAnswerOf = (answer: InquiryAnswer, { kind }: Inquiry, channel: string, code: string): boolean =>
  kind !== 'asking' &&
  kind !== 'failed' &&
  kind !== 'stopped' &&
  String(answer.channel.id) === channel &&
  answer.code === code.trim();

function Desk({ channels }: { channels: Channel[] }) {
  const w = useWords(words);
  const [url, setUrl] = useUrlState({ channel: '', code: '' });
  const [code, setCode] = useState(url.code);
  // With one channel there is nothing to choose.
  const channel = url.channel === '' && channels.length === 1 ? String(channels[0]?.id) : url.channel;
  const [answer, setAnswer] = useState<InquiryAnswer | null>(null);
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set());
  const [done, setDone] = useState<{ changes: RegistrationChanges; channel: Channel } | null>(null);
  const { inquiry, ask, stop, reset } = useInquiry((now) => {
    setPicked(picksAfter(answer, picked, now));
    setAnswer(now);
  });
  const isPicking = answer !== null && done === null && answer.info.found;
  const release = useUnsavedWarning(isPicking && !isSameSet(picked, usualPicks(answer)));
  const begin = (asked: Channel, typed: string) => {
    setDone(null);
    setUrl({ channel: String(asked.id), code: typed });
    void ask({ channel: asked, code: typed });
  };
  const another = () => {
    setDone(null);
    setAnswer(null);
    setCode('');
    setUrl({ code: '' });
    reset();
    document.querySelector<HTMLInputElement>('.register-ask input[name="code"]')?.focus();
  };
  return (
    <Stack gap="md">
      <AskForm
        channels={channels}
        channelId={channel}
        onChannel={(id) => setUrl({ channel: id })}
        code={code}
        onCode={setCode}
        isAsking={inquiry.kind === 'asking'}
        onAsk={begin}
      />
      {inquiry.kind === 'asking' && (
        <Asking key={inquiry.question.code} question={inquiry.question} onStop={stop} />
      )}
      {inquiry.kind === 'stopped' && (
        <Text size="sm" c="dimmed" role="status">
          {w.stopped}
        </Text>
      )}
      {inquiry.kind === 'failed' && (
        <Failure
          error={inquiry.error}
          channelId={inquiry.question.channel.id}
          onRetry={() => void ask(inquiry.question)}
        />
      )}
      {done !== null && <Done changes={done.changes} channel={done.channel} onAnother={another} />}
      {done === null && answer !== null && isAnswerOf(answer, inquiry, channel, code) && (
        <Answered
          answer={answer}
          picked={picked}
          onPick={setPicked}
          onDone={(changes) => {
            release();
            setDone({ changes, channel: answer.channel });
          }}
        />
      )}
      {inquiry.kind === 'idle' && answer === null && (
        <EmptyState icon={CloudDownload} title={w.start} text={w.startText} />
      )}
    </Stack>
  );
}

interface AnsweredProps {
  answer: InquiryAnswer;
  picked: ReadonlySet<string>;
  onPick: (codes: ReadonlySet<string>) => void;
  onDone: (changes: RegistrationChanges) => void;
}

function Answered({ answer, picked, onPick, onDone }: AnsweredProps) {
  const { info, channel, code } = answer;
  if (!info.found) return <NotFound channel={channel.name} code={code} said={info.errors} />;
  return (
    <>
      <Answer answer={answer} picked={picked} onPick={onPick} />
      <Plan key={answer.at} answer={answer} picked={picked} onDone={onDone} />
    </>
  );
}
