import { defineWords, useWords } from '../i18n/words.ts';

const words = defineWords({
  en: {
    token: (name: string) => `Token ${name}`,
    environment: 'Administrator token of the environment',
    cli: (name: string) => `Command line (${name})`,
    channel: (id: string) => `Channel ${id}`,
    import: 'Import',
    expiry: 'Payment deadline',
    firstStart: 'First start',
    rateSource: 'Collection of exchange rates',
    service: 'Sluice',
    unknown: 'Not recorded',
  },
  ko: {
    token: (name: string) => `토큰 ${name}`,
    environment: '환경 변수의 관리자 토큰',
    cli: (name: string) => `명령줄 (${name})`,
    channel: (id: string) => `채널 ${id}`,
    import: '가져오기',
    expiry: '결제 기한',
    firstStart: '최초 시작',
    rateSource: '환율 자동 수집',
    service: 'Sluice',
    unknown: '기록 없음',
  },
});

interface ActorProps {
  /** In the format of the API: `user:<e-mail>`, `token:<name>`, `channel:<id>`, … */
  actor: string | null;
  /** Name of the account or channel, if it has one. */
  name?: string | null;
}

/** The author of a change, in words. */
export function ActorName({ actor, name = null }: ActorProps) {
  const w = useWords(words);
  if (actor === null) return w.unknown;
  const at = actor.indexOf(':');
  const kind = at === -1 ? actor : actor.slice(0, at);
  const rest = at === -1 ? '' : actor.slice(at + 1);
  const texts: Record<string, string> = {
    user: rest,
    token: w.token(rest),
    cli: w.cli(rest),
    channel: w.channel(rest),
    environment: w.environment,
    import: w.import,
    expiry: w.expiry,
    'first-start': w.firstStart,
    'exchange-rate-source': w.rateSource,
    service: w.service,
  };
  return <span {...(name === null ? {} : { title: rest })}>{name ?? texts[kind] ?? actor}</span>;
}
