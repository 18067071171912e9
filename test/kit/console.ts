// The console in a real browser, served by the service on its own database. Call it at the top of a test file; each visit
// starts without the cookies and stored settings of earlier ones. Faults in a page fail its test.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, test as nodeTest, type TestContext } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { browserAddress, connectBrowser, Watch } from './browser.ts';
import { openSession } from '../../src/platform/accounts/sessions-store.ts';
import type { Role } from '../../src/platform/values/roles.ts';
import { makeAccount, type TestUser } from './accounts.ts';
import { fixtures } from '../../verify/kit/fixtures.ts';
import { startTestService, type TestService } from '../../verify/kit/service.ts';

const WAIT_MS_MAX = 120_000;
const POLL_MS = 50;
const FAULTS_SHOWN_MAX = 20;
/** Desktop and phone. */
export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };

interface VisitOptions {
  /** Signed in with this role; not signed in if absent. */
  role?: Role;
  /** Signed in with this account, whose password is PASSWORD. */
  user?: TestUser;
  /** Below /console. */
  to?: string;
  language?: 'en' | 'ko';
  scheme?: 'light' | 'dark';
  size?: { width: number; height: number };
  /** Stays open for later tests. */
  keep?: boolean;
}

/**
 * The tests of a file reuse pages: the renderer process of a page keeps the console's compiled code, which saves half of
 * the cost of a visit. Each page has its own context.
 */
interface Lent {
  page: Page;
  /** Language and colour scheme, which are fixed when a context is created. */
  kind: string;
}

/** Where an idle page waits: same origin and same opener policy, or it would get another process. */
const WAITING_AT = '/favicon.svg';

export interface ConsoleKit {
  service: TestService;
  make: ReturnType<typeof fixtures>;
  watch: Watch;
  test: (name: string, run: (t: TestContext) => Promise<void>) => void;
  visit: (options?: VisitOptions) => Promise<Page>;
  /** A new account whose password is PASSWORD. */
  account: (role: Role) => Promise<TestUser>;
  address: (path: string) => string;
}

export async function startConsole(): Promise<ConsoleKit> {
  const service = await startTestService();
  const running = browserAddress();
  const missing = running === null ? (process.env['TEST_NO_BROWSER'] ?? 'run it with npm test') : null;
  const skip = missing !== null && process.env['CI'] !== 'true' ? missing : false;
  const watch = new Watch(service.origin);
  const address = (path: string): string => `${service.origin}/console${path}`;

  let browser: Promise<Browser> | null = null;
  const connected = (): Promise<Browser> => {
    if (running === null) throw new Error(missing ?? '');
    browser ??= connectBrowser(running);
    return browser;
  };
  const lent: Lent[] = [];
  const kept: Lent[] = [];
  const free: Lent[] = [];
  const accounts = new Map<Role, Promise<TestUser>>();
  const account = (role: Role): Promise<TestUser> => makeAccount(service, role);
  const accountOf = (role: Role): Promise<TestUser> => {
    const known = accounts.get(role) ?? account(role);
    accounts.set(role, known);
    return known;
  };

  const lend = async ({ language = 'en', scheme = 'light' }: VisitOptions): Promise<Lent> => {
    const kind = `${language} ${scheme}`;
    const known = free.findIndex((one) => one.kind === kind);
    if (known >= 0) return free.splice(known, 1)[0] as Lent;
    const context = await (
      await connected()
    ).newContext({
      locale: language === 'ko' ? 'ko-KR' : 'en-US',
      colorScheme: scheme,
      reducedMotion: 'reduce',
      timezoneId: 'America/New_York', // not the service's: times must come out in the service's zone
    });
    context.setDefaultTimeout(WAIT_MS_MAX);
    watch.over(context);
    return { page: await context.newPage(), kind };
  };

  /** Resets the page for the next visit. */
  const takeBack = async ({ page, kind }: Lent): Promise<void> => {
    const context = page.context();
    for (const other of context.pages()) if (other !== page) await other.close();
    page.removeAllListeners('dialog');
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    await page.goto(address(WAITING_AT));
    await page.evaluate(() => {
      const { localStorage, sessionStorage } = globalThis as unknown as BrowserGlobals;
      localStorage.clear();
      sessionStorage.clear();
    });
    await context.clearCookies();
    free.push({ page, kind });
  };

  const visit = async (wish: VisitOptions = {}): Promise<Page> => {
    const one = await lend(wish);
    (wish.keep === true ? kept : lent).push(one);
    const { page } = one;
    const user = wish.role === undefined ? wish.user : await accountOf(wish.role);
    if (user !== undefined) await page.context().addCookies([await sessionCookie(service, user)]);
    await page.setViewportSize(wish.size ?? WIDE);
    await page.goto(address(wish.to ?? '/'));
    await settled(page);
    return page;
  };

  afterEach(async () => {
    for (const one of lent.splice(0)) await takeBack(one).catch(() => one.page.context().close());
    assert.deepEqual(watch.take(), []);
  });
  after(async () => (await browser)?.close());

  /** Takes a screenshot on failure, which helps more than the message of a timeout. */
  const withPictures = (run: (t: TestContext) => Promise<void>) => async (t: TestContext) => {
    try {
      await run(t);
    } catch (error) {
      const pages = [...lent, ...kept].flatMap(({ page }) => page.context().pages());
      for (const [n, page] of pages.entries()) {
        const file = join(tmpdir(), `sluice-${process.pid}-${Date.now()}-${n}.png`);
        const taken = await page.screenshot({ path: file, timeout: 5_000 }).catch(() => null);
        if (taken) t.diagnostic(`${page.url()}: ${file}`);
      }
      for (const fault of watch.take()) t.diagnostic(fault);
      throw error;
    }
  };
  return {
    service,
    make: fixtures(service),
    watch,
    test: (name, run) => void nodeTest(name, { skip }, withPictures(run)),
    visit,
    account,
    address,
  };
}

async function sessionCookie({ service, origin }: TestService, user: TestUser) {
  const { session_id: value } = await openSession(service.services.pool, user.id, {
    address: '127.0.0.1',
    user_agent: null,
  });
  return { name: 'sluice_session', value, url: origin, httpOnly: true, sameSite: 'Strict' as const };
}

/** Waits until there is a heading, nothing is loading, and animations have finished. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () => {
      const { document } = globalThis as unknown as BrowserGlobals;
      const busy = '[aria-busy="true"], [data-stale="true"], .mantine-Skeleton-root, .mantine-Loader-root';
      if (document.querySelector('h1') === null || document.querySelector(busy) !== null) return false;
      const moving = document
        .getAnimations()
        .filter((one) => one.playState === 'running' && one.effect?.getTiming().iterations !== Infinity);
      for (const one of moving) one.finish();
      return moving.length === 0;
    },
    undefined,
    // Not at every frame: each look makes the page compute its styles.
    { polling: POLL_MS },
  );
}

interface BrowserAnimation {
  playState: string;
  effect?: { getTiming(): { iterations?: number } };
  finish(): void;
}

interface BrowserElement {
  innerText: string;
  scrollWidth: number;
  clientWidth: number;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  checkVisibility(): boolean;
}

/** The screen of an address: a list, or one thing of it. */
const screenOf = (path: string): string => {
  const [, list = '', one] = path.replace(/\?.*/, '').split('/');
  return one === undefined ? list : `${list}/…`;
};

/**
 * Opens another screen without reloading the page, which is much faster. Two addresses of one screen, and two screens that
 * are refused, share their heading: between them it goes through a screen that shares no component with the others, so that
 * old content is not mistaken for new.
 */
export async function goTo(page: Page, to: string): Promise<void> {
  const from = new URL(page.url()).pathname.replace('/console', '');
  const stop = [from, to].includes('/nowhere') ? '/change-password' : '/nowhere';
  const isRefused = (await page.locator('h1').innerText()) === 'You don’t have access';
  const isDirect = stop === to || (!isRefused && screenOf(from) !== screenOf(to));
  for (const hop of isDirect ? [to] : [stop, to]) {
    await page.evaluate((path) => {
      const { document, history, dispatchEvent, Event } = globalThis as unknown as BrowserGlobals;
      document.querySelector('h1')?.setAttribute('data-left', '');
      history.pushState({}, '', `/console${path}`);
      dispatchEvent(new Event('popstate'));
    }, hop);
    await page.waitForFunction(() => {
      const { document } = globalThis as unknown as BrowserGlobals;
      return document.querySelector('h1:not([data-left])') !== null;
    });
  }
  await settled(page);
}

/** The browser globals that `page.evaluate` uses here; the project has no DOM types. */
export interface BrowserGlobals {
  document: {
    documentElement: BrowserElement & { lang: string };
    querySelector(selector: string): BrowserElement | null;
    querySelectorAll(selector: string): Iterable<BrowserElement>;
    title: string;
    getAnimations(): BrowserAnimation[];
  };
  localStorage: { clear(): void };
  sessionStorage: { clear(): void };
  location: { reload(): void };
  history: { back(): void; pushState(state: object, unused: string, to: string): void };
  dispatchEvent: (event: object) => void;
  Event: new (type: string) => object;
  axe: { run(context: object, options: object): Promise<{ violations: AxeViolation[] }> };
}

interface AxeViolation {
  id: string;
  impact: string;
  help: string;
  nodes: { html: string; target: string[]; failureSummary: string }[];
}

const axeSource = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');

/** The rules whose result depends on the colour scheme. They take two thirds of the time of all rules. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** Rules whose violations are moderate or minor, and not faults here. The rules of landmarks are moderate and do count. */
const RULES_NOT_COUNTED = [
  'aria-allowed-role',
  'aria-deprecated-role',
  'empty-heading',
  'empty-table-header',
  'form-field-multiple-labels',
  'heading-order',
  'image-redundant-alt',
  'page-has-heading-one',
  'presentation-role-conflict',
  'scope-attr-valid',
  'skip-link',
  'table-duplicate-name',
];
/** Axe's own, and tooltips: they belong to the element that they describe, and are drawn at the end of the page. */
const checks = {
  region: {
    options: { regionMatcher: 'dialog, [role=dialog], [role=alertdialog], svg, [role=tooltip]' },
  },
};

const isOfLandmarks = (rule: string): boolean => rule.startsWith('landmark-') || rule === 'region';
const without = (rules: string[]) => ({
  rules: Object.fromEntries(rules.map((rule) => [rule, { enabled: false }])),
});

/** The head and the navigation: most of the elements of a page, and the same on every screen. */
const SHELL = ['.shell-head', '.shell-nav'];

type Rules = 'all' | 'colours' | 'all but colours';

interface AccessibleOptions {
  which?: Rules;
  /** With the head and the navigation. Once is enough: console-screens does it on the overview. */
  hasShell?: boolean;
}

/**
 * Asserts that the page has no serious or critical accessibility violation and no fault of landmarks. With a modal dialog on it only the dialog is
 * checked: a user cannot reach the page behind it.
 */
export async function assertAccessible(
  page: Page,
  where: string,
  { which = 'all', hasShell = false }: AccessibleOptions = {},
): Promise<void> {
  await settled(page);
  // Through the debugger, which is not subject to the Content-Security-Policy: it stays in force for the page.
  const isThere = await page.evaluate(() => 'axe' in globalThis);
  if (!isThere) await page.evaluate(axeSource);
  const rules = {
    all: without(RULES_NOT_COUNTED),
    colours: { runOnly: { type: 'rule', values: COLOUR_RULES } },
    'all but colours': without([...RULES_NOT_COUNTED, ...COLOUR_RULES]),
  }[which];
  const violations = await page.evaluate(
    async ([options, shell, regions]) => {
      const { axe, document } = globalThis as unknown as BrowserGlobals;
      const isModal = document.querySelector('[aria-modal="true"]')?.checkVisibility() === true;
      const exclude = [...shell, ...(isModal ? ['#content'] : [])];
      // Without preloading style sheets, which only disabled rules need.
      const chosen = { resultTypes: ['violations'], preload: false, checks: regions, ...options };
      return (await axe.run({ exclude }, chosen)).violations;
    },
    [rules, hasShell ? [] : SHELL, checks] as const,
  );
  const faults = violations
    .filter(({ id, impact }) => impact === 'serious' || impact === 'critical' || isOfLandmarks(id))
    .flatMap(({ id, impact, nodes }) =>
      nodes.map(
        ({ html, target, failureSummary }) =>
          `${impact} ${id}: ${target.join(' ')}\n  ${html.slice(0, 200)}\n  ${failureSummary.replaceAll('\n', '\n  ')}`,
      ),
    );
  const shown = faults.slice(0, FAULTS_SHOWN_MAX).join('\n');
  assert.ok(faults.length === 0, `${where}, ${faults.length} faults:\n${shown}`);
}

/**
 * The page itself never scrolls horizontally; wide tables scroll inside their container. The text of a button is never
 * cut off.
 */
export async function assertFits(page: Page, where: string): Promise<void> {
  const { scrollWidth, clientWidth, cut } = await page.evaluate(() => {
    const { document } = globalThis as unknown as BrowserGlobals;
    const { documentElement: root } = document;
    const labels = [...document.querySelectorAll('.mantine-Button-label')];
    return {
      scrollWidth: root.scrollWidth,
      clientWidth: root.clientWidth,
      cut: labels.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.innerText),
    };
  });
  assert.ok(scrollWidth <= clientWidth, `${where}: ${scrollWidth} px wide on ${clientWidth} px`);
  assert.deepEqual(cut, [], `${where}: buttons whose text is cut off`);
}

export const textOf = async (locator: Locator): Promise<string> =>
  (await locator.innerText()).replaceAll(/\s+/g, ' ').trim();
