// One inquiry to a channel: in progress, answered, failed or stopped.
import { useCallback, useEffect, useRef, useState } from 'react';
import { apiPath } from '../../api/address.ts';
import { request } from '../../api/request.ts';
import type { Channel, ProductInfo } from '../../api/types.ts';

export interface Question {
  channel: Channel;
  code: string;
}
export interface InquiryAnswer extends Question {
  info: ProductInfo;
  /** Time of the answer, which distinguishes answers for the same product. */
  at: number;
}
export type Inquiry =
  | { kind: 'idle' }
  | { kind: 'asking'; question: Question }
  | { kind: 'stopped' }
  | { kind: 'failed'; question: Question; error: unknown }
  | { kind: 'answered' };

/** The last answer is kept until a new one arrives, also after a failure. */
export function useInquiry(onAnswer: (answer: InquiryAnswer) => void) {
  const [inquiry, setInquiry] = useState<Inquiry>({ kind: 'idle' });
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const ask = async (question: Question) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setInquiry({ kind: 'asking', question });
    try {
      const to = apiPath('/channels/{id}/product-info', { id: question.channel.id });
      const body = { usercode: question.code };
      const { data: info } = await request('post', to, { body, signal: controller.signal });
      if (controller.signal.aborted) return;
      onAnswer({ ...question, info, at: Date.now() });
      setInquiry({ kind: 'answered' });
    } catch (error) {
      if (!controller.signal.aborted) setInquiry({ kind: 'failed', question, error });
    }
  };
  const stop = useCallback(() => {
    running.current?.abort();
    setInquiry({ kind: 'stopped' });
  }, []);
  const reset = useCallback(() => setInquiry({ kind: 'idle' }), []);
  return { inquiry, ask, stop, reset };
}
