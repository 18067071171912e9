// A real browser: one for the whole run, with a context of its own for each visit. Whatever goes wrong in a page
// is noted down and fails the test at its end: errors on the console (a violated Content-Security-Policy is one),
// uncaught exceptions, failed requests, refused requests that the test did not announce, and other origins.
import { chromium, type Browser, type BrowserContext } from 'playwright-core';

/** The address of the browser that tools/scripts/test.mjs started; null where there is none. */
export const browserAddress = (): string | null => process.env['TEST_BROWSER'] ?? null;

/** Closing the connection closes its contexts; the browser goes on. */
export const connectBrowser = (address: string): Promise<Browser> => chromium.connect(address);

/** The browser's own line about an answer of 400 and above: the answer itself is looked at instead. */
const ABOUT_AN_ANSWER = /^Failed to load resource: the server responded with a status of/;
/** Asking who one is may be answered "nobody". */
const NOT_SIGNED_IN = '401 GET /admin/v1/session';

export class Watch {
  readonly #origin: string;
  readonly #faults: string[] = [];
  /** Set while a test takes the network away: requests fail then. */
  isAway = false;
  #expected: { pattern: RegExp; seen: boolean }[] = [];

  constructor(origin: string) {
    this.#origin = origin;
  }

  /** A refusal that the test provokes: matched against "409 PUT /admin/v1/stock/x". It has to come. */
  expect(pattern: RegExp): void {
    this.#expected.push({ pattern, seen: false });
  }

  /** What went wrong since the last time. */
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
      // Given up by the page itself: another search, another screen.
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
