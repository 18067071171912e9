// One case: the bytes written to one connection. Plain data, so that it can be shrunk.

/** How the end of a body is declared. All but the first three are false or truncated. */
export type Framing =
  | 'none'
  | 'length'
  | 'chunked'
  | 'too_short'
  | 'too_long'
  | 'no_number'
  | 'twice'
  | 'both'
  | 'broken_chunk'
  | 'cut_chunk';

export interface HttpMessage {
  method: string;
  /** One character per byte. */
  target: string;
  version: string;
  headers: [name: string, value: string][];
  body: Buffer;
  framing: Framing;
}

export interface Case {
  index: number;
  /** More than one: pipelined. */
  messages: HttpMessage[];
  /** Bytes after the last message that belong to none. */
  behind: string;
  /** The number of socket writes. */
  writes: number;
}

const COMPLETE: readonly Framing[] = ['none', 'length', 'chunked'];

/** The whole body is sent, and its length is declared correctly. */
export const isWhole = ({ framing }: HttpMessage): boolean => COMPLETE.includes(framing);

/** All messages are delimited: one answer per message, and the connection may be reused. */
export const isComplete = ({ messages, behind }: Case): boolean => behind === '' && messages.every(isWhole);

export const asksForUpgrade = ({ headers }: HttpMessage): boolean =>
  headers.some(([name]) => name.toLowerCase() === 'upgrade');

/** Keys, tokens and addresses that differ between runs are written as `{{name}}` in a case. */
export type Fill = (text: string) => string;

const LATIN1 = 'latin1';

export function bytesOf({ messages, behind }: Case, fill: Fill): Buffer {
  return Buffer.concat([
    ...messages.map((message) => messageBytes(message, fill)),
    Buffer.from(behind, LATIN1),
  ]);
}

function messageBytes({ method, target, version, headers, body, framing }: HttpMessage, fill: Fill): Buffer {
  const filled = body.includes('{{') ? Buffer.from(fill(body.toString(LATIN1)), LATIN1) : body;
  const [lines, framed] = frame(filled, framing);
  const head = [
    `${method} ${target} ${version}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...lines,
  ];
  return Buffer.concat([Buffer.from(fill(`${head.join('\r\n')}\r\n\r\n`), LATIN1), framed]);
}

function frame(body: Buffer, framing: Framing): [headers: string[], body: Buffer] {
  const length = body.length;
  const chunked = (): Buffer => {
    const half = Math.floor(length / 2);
    const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0);
    return Buffer.concat([...parts.map(chunk), Buffer.from('0\r\n\r\n')]);
  };
  switch (framing) {
    case 'none':
      return [[], Buffer.alloc(0)];
    case 'length':
      return [[`Content-Length: ${length}`], body];
    case 'chunked':
      return [['Transfer-Encoding: chunked'], chunked()];
    case 'too_short':
      return [[`Content-Length: ${Math.floor(length / 2)}`], body];
    case 'too_long':
      return [[`Content-Length: ${length + 7}`], body];
    case 'no_number':
      return [
        [`Content-Length: ${['-1', '1e3', '0x10', '', '99999999999999999999', '5, 6'][length % 6]}`],
        body,
      ];
    case 'twice':
      return [[`Content-Length: ${length}`, `Content-Length: ${length + 1}`], body];
    case 'both':
      return [[`Content-Length: ${length}`, 'Transfer-Encoding: chunked'], chunked()];
    case 'broken_chunk':
      return [['Transfer-Encoding: chunked'], Buffer.concat([chunk(body), Buffer.from('zz\r\n')])];
    case 'cut_chunk':
      return [['Transfer-Encoding: chunked'], chunk(body).subarray(0, Math.max(3, length - 2))];
  }
}

const chunk = (part: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);

const BODY_SHOWN_BYTES = 2_000;

/** For the report. */
export function shownBytes(bytes: Buffer): string {
  const shown = bytes.subarray(0, BODY_SHOWN_BYTES).toString(LATIN1);
  const rest = bytes.length > BODY_SHOWN_BYTES ? ` … ${bytes.length - BODY_SHOWN_BYTES} more bytes` : '';
  return `bytes: ${JSON.stringify(shown)}${rest}`;
}
