// A sales channel's product-information address, as registration calls it: answers by product code.
import { createServer } from 'node:http';
import { listen } from './ports.ts';

interface StubOption {
  opt_group: string;
  power: string;
  option_code: string;
  stock: number;
  hidden: boolean | number;
}

export const stubOption = (
  power: string,
  option_code: string,
  fields: Partial<StubOption> = {},
): StubOption => ({
  opt_group: 'left',
  power,
  option_code,
  stock: 5,
  hidden: false,
  ...fields,
});

export const stubProduct = (options: StubOption[], fields: object = {}): object => ({
  found: true,
  goods_name: 'Clear Day',
  is_monthly: 0,
  options,
  ...fields,
});

/** The same options for the other eye. */
export const bothSides = (options: StubOption[]): StubOption[] => [
  ...options,
  ...options.map((left) => ({ ...left, opt_group: 'right' })),
];

export type StubChannel = Awaited<ReturnType<typeof startStubChannel>>;

export async function startStubChannel() {
  /** By product code: objects as JSON, strings as they are. Other codes are "not found". */
  const answers = new Map<string, object | string>();
  /** The keys of the requests, in order. */
  const keys: string[] = [];
  const server = createServer((request, response) => {
    keys.push(String(request.headers['x-api-key']));
    const code = new URL(request.url ?? '/', 'http://stub').searchParams.get('usercode') ?? '';
    const answer = answers.get(code) ?? { found: false, message: 'no such goods' };
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/goods`,
    answers,
    keys,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
