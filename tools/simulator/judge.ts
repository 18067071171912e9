// Every raw request and answer passes here. The client above it retries and sorts errors; what the service really said
// is seen only underneath.
import type { Fetch } from '../../clients/typescript/src/index.ts';
import { said, type Answer, type Books, type Sent } from './books.ts';
import { judgeOrder } from './judge-orders.ts';
import { judgeList, judgeLookup } from './judge-reads.ts';
import { judgeReport } from './judge-reports.ts';

type Verdict = (answer: Answer | null) => void;

const REPORT = /^\/orders\/([^/?]+)\/status$/;
const LOOKUP = /^\/inventory\/([^/?]+)$/;

/** To be called as a request leaves. */
function verdictOn(books: Books, sent: Sent): Verdict {
  if (sent.method === 'POST' && sent.path === '/orders') return judgeOrder(books, sent);
  const report = sent.method === 'POST' ? REPORT.exec(sent.path) : null;
  if (report?.[1] !== undefined) return judgeReport(books, sent, decodeURIComponent(report[1]));
  const lookup = sent.method === 'GET' ? LOOKUP.exec(sent.path) : null;
  if (lookup?.[1] !== undefined) return judgeLookup(books, sent, decodeURIComponent(lookup[1]));
  if (sent.method === 'GET' && sent.path === '/inventory') return judgeList(books, sent);
  throw new RangeError(`nobody judges ${sent.method} ${sent.path}`);
}

/** Turned away before it was looked at: as if it had not been answered. */
const TURNED_AWAY = [429, 503];

export function judge(books: Books, sent: Sent): Verdict {
  const verdict = verdictOn(books, sent);
  const words = `${sent.method} ${sent.path}`;
  return (answer) => {
    if (answer !== null && !answer.headers.has('x-request-id'))
      books.broke(sent.channel, `${words} was answered ${answer.status} without an X-Request-Id.`);
    const isTurnedAway = answer !== null && TURNED_AWAY.includes(answer.status);
    if (isTurnedAway && !answer.headers.has('retry-after'))
      books.broke(sent.channel, `${words} was answered ${answer.status} without a Retry-After.`);
    // Somebody who administers a shared service may close a channel or give it another key.
    const isShutOut = answer?.status === 401 && !books.isAlone;
    if (answer === null) books.happened(sent.channel, 'unanswered', words, null);
    else if (isTurnedAway || isShutOut) books.happened(sent.channel, 'turned_away', said(answer), answer);
    verdict(isTurnedAway || isShutOut ? null : answer);
  };
}

/** A fetch that shows everything to the judge. */
export function judgedFetch(books: Books, channel: number, baseUrl: string): Fetch {
  return async (url, init) => {
    const arrived = judge(books, {
      channel,
      method: init.method ?? 'GET',
      path: url.slice(baseUrl.length),
      body: typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : null,
      if_none_match: new Headers(init.headers).get('if-none-match'),
    });
    const started = performance.now();
    const received = await receive(url, init).catch((error: unknown) => {
      arrived(null);
      throw error;
    });
    const { status, headers, text } = received;
    arrived({ status, headers, text, json: parsed(text), ms: performance.now() - started });
    return new Response(status === 304 ? null : text, { status, headers });
  };
}

async function receive(url: string, init: RequestInit): Promise<Pick<Answer, 'status' | 'headers' | 'text'>> {
  const answer = await fetch(url, init);
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
