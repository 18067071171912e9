// A real browser: one for the whole run, with a separate context for each visit. Faults in a page are recorded and fail
// the test at its end: errors on the console (including Content-Security-Policy violations), uncaught exceptions, failed
// requests, unexpected refusals, and requests to other origins.
import { chromium, type Browser, type BrowserContext } from 'playwright-core';

/** The address of the browser that tools/scripts/test.mjs started; null if there is none. */
export const browserAddress = (): string | null => process.env['TEST_BROWSER'] ?? null;

/** Closing the connection closes its contexts; the browser keeps running. */
export const connectBrowser = (address: string): Promise<Browser> => chromium.connect(address);

/** The browser's own message about a status of 400 and above: the answer itself is checked instead. */
const ABOUT_AN_ANSWER = /^Failed to load resource: the server responded with a status of/;
/** The session request is answered 401 without a session. */
const NOT_SIGNED_IN = '401 GET /admin/v1/session';

export class Watch {
  readonly #origin: string;
  readonly #faults: string[] = [];
  /** True while a test disconnects the network: requests fail then. */
  isAway = false;
  #expected: { pattern: RegExp; seen: boolean }[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** Expects a refusal: matched against "409 PUT /admin/v1/stock/x". The test fails if it does not occur. */
  expect(pattern: RegExp): void {
    this.#expected.push({ pattern, seen: false });
  }

  /** The faults since the last call. */
  take(): string[] {
    const absent = this.#expected
      .filter(({ seen }) => !seen)
      .map(({ pattern }) => `no answer like ${pattern.source}`);
    this.#expected = [];
    return [...this.#faults.splice(0), ...absent];
  }

  over(context: BrowserContext): void {
    context.on('console', (message) => {
      const text = message.text();
      if (message.type() === 'error' && !ABOUT_AN_ANSWER.test(text) && !this.isAway)
        this.#fault(`console: ${text}`);
    });
    context.on('weberror', (failure) => this.#fault(`uncaught: ${failure.error().stack}`));
    context.on('request', (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol !== 'data:' && protocol !== 'blob:' && origin !== this.#origin)
        this.#fault(`request to another origin: ${request.url()}`);
    });
    context.on('requestfailed', (request) => {
      const reason = request.failure()?.errorText ?? '';
      // Aborted by the page itself: another search, another screen.
      if (reason !== 'net::ERR_ABORTED' && !this.isAway)
        this.#fault(`request failed: ${request.url()} ${reason}`);
    });
    context.on('response', (answer) => {
      if (answer.status() < 400) return;
      const line = `${answer.status()} ${answer.request().method()} ${new URL(answer.url()).pathname}`;
      if (line === NOT_SIGNED_IN) return;
      const fitting = this.#expected.filter(({ pattern }) => pattern.test(line));
      const announced = fitting.find(({ seen }) => !seen) ?? fitting[0];
      if (announced) announced.seen = true;
      else this.#fault(`answer: ${line}`);
    });
  }

  #fault(text: string): void {
    this.#faults.push(text);
  }
}
