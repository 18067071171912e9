// All screens with the demo data: accessible in light and dark, wide and narrow, in both languages, and with the right
// buttons for every role. `npm run test:long` opens all screens, `npm test` some.
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { seedDemo } from '../src/features/demo/changes.ts';
import { createSealer } from '../src/platform/secrets/keys.ts';
import { inTransaction } from '../src/platform/database/transactions.ts';
import { eraseOrder } from '../src/features/erasure/changes.ts';
import {
  assertAccessible,
  assertFits,
  NARROW,
  goTo,
  settled,
  startConsole,
  WIDE,
  type BrowserGlobals,
} from './kit/console.ts';
import { eventually } from '../verify/kit/until.ts';
import { must, orderOf } from '../verify/kit/fixtures.ts';
import { TEST_SECRET } from '../verify/kit/service.ts';
import { isLong } from '../verify/kit/long.ts';

const { service, test, visit, address } = await startConsole();

const seeded = await inTransaction(service.service.services.pool, (tx) =>
  seedDemo(tx, { actor: 'test', request_id: null }, { sealer: createSealer(TEST_SECRET), force: false }),
);
assert.equal(seeded.kind, 'done');
const [shop] = seeded.channels;
assert.ok(shop);
const channel = service.channel(shop.api_key);
const [goods, ...others] = await must(channel('GET', '/inventory'), 200);
async function accept(sku: string, status: number): Promise<{ id: number; order_number: string }> {
  const order = orderOf([{ sku, quantity: 2, unit_price: 12_900 }], { status });
  await must(channel('POST', '/orders', order), 201);
  const [{ id }] = await must(service.admin('GET', `/orders?order_number=${order.order_number}`), 200);
  return { id, order_number: order.order_number };
}
const ship = (id?: number) => {
  const report = { status: 3, tracking_number: '6012-3456-7890', courier_code: 'CJ' };
  return must(service.admin('POST', `/orders/${id}/status`, report), 200);
};
const orders: number[] = [];
for (const [n, item] of [goods, ...others.slice(0, 5)].entries())
  orders.push((await accept(item.sku, n % 2)).id);
await ship(orders[1]);
// An unmapped SKU request: it shows on the overview and on the mappings screen.
assert.equal((await channel('GET', '/inventory/NOT-MAPPED-YET')).status, 404);
// A refused order, a report for an order that was never sent, and a backorder.
const much = [{ sku: goods.sku, quantity: 99_999, unit_price: 1 }];
assert.equal((await channel('POST', '/orders', orderOf(much))).status, 422);
assert.equal((await channel('POST', '/orders/NEVER-SENT/status', { status: 1 })).status, 404);
const few = [{ sku: goods.sku, quantity: 20, unit_price: 1 }];
await must(channel('POST', '/orders', orderOf(few, { is_backorder: true })), 201);
await service.service.flush();

// A failing webhook endpoint, and open and closed alerts.
const hook = await must(
  service.admin('POST', '/webhooks', {
    url: 'http://127.0.0.1:1/',
    events: ['order.accepted'],
    is_active: false,
  }),
  201,
);
await must(service.admin('POST', `/webhooks/${hook.id}/test`), 200);
await service.database.tamper(
  `insert into alert (kind, subject, details, closed_at) values
     ('low_stock', 'variant:X', '{"variant_code": "X"}', null), ('webhook_failing', 'webhook:1', '{"webhook_id": 1, "description": ""}', null),
     ('rate_stale', 'currency:JPY', '{"currency_code": "JPY"}', now())`,
);

interface Screen {
  path: string;
  /** The heading is a code or a name, the same in both languages. */
  isNamed?: boolean;
  isOutside?: boolean;
  /** Labels that are data: the same in both languages. */
  data?: RegExp;
}

/** Lists are filtered to few rows: a hundred rows would be checked no better than five, only slower. */
const allScreens: Record<string, Screen> = {
  'sign-in': { path: '/sign-in', isOutside: true },
  'change password': { path: '/change-password' },
  overview: { path: '/' },
  channels: { path: '/channels' },
  'new channel': { path: '/channels?new=1' },
  channel: { path: `/channels/${shop.id}`, isNamed: true },
  products: { path: '/products' },
  product: { path: '/products/CARE-SOL', isNamed: true },
  register: { path: '/register' },
  mappings: { path: `/mappings?channel=${shop.id}&search=CARE` },
  stock: { path: '/stock?search=CARE' },
  'items without stock': { path: '/stock?show=missing' },
  'stock item': { path: `/stock/${encodeURIComponent(goods.product_code)}`, isNamed: true },
  allocations: { path: '/allocations?search=CARE', data: /\(Demo / },
  orders: { path: '/orders', data: /^Kim Canaryname$/ },
  'unpaid order': { path: `/orders/${orders[0]}` },
  'shipped order': { path: `/orders/${orders[1]}` },
  webhooks: { path: '/webhooks' },
  webhook: { path: `/webhooks/${hook.id}`, isNamed: true },
  alerts: { path: '/alerts' },
  'closed alerts': { path: '/alerts?tab=closed' },
  'alert rules': { path: '/alerts?tab=rules' },
  'rejected orders': { path: '/refusals' },
  'late reports': { path: '/refusals?tab=late' },
  backorders: { path: '/backorders' },
  'backordered items': { path: '/backorders?tab=items' },
  'packing list': { path: `/packing?ids=${orders[0]},${orders[1]}` },
  'exchange rates': { path: '/exchange-rates' },
  couriers: { path: '/couriers' },
  users: { path: '/users' },
  tokens: { path: '/tokens' },
  audit: { path: '/audit', data: /^[a-z_]+$|^stock$/ },
  'not found': { path: '/nowhere' },
};
/** One screen of each kind: a form, figures, a list, a matrix, an order with its actions, a dialog. */
const SOME = new Set(['sign-in', 'overview', 'stock', 'allocations', 'unpaid order', 'new channel']);
const screens = Object.entries(allScreens).filter(([name]) => isLong || SOME.has(name));

interface Labels {
  lang: string;
  title: string;
  heading: string;
  navigation: string[];
  /** Visible texts and accessible names of headings, fields, columns and buttons. */
  words: string[];
}

const labelsOf = (page: Page): Promise<Labels> =>
  page.evaluate(() => {
    const { document } = globalThis as unknown as BrowserGlobals;
    const texts = (selector: string) =>
      [...document.querySelectorAll(selector)].map((element) => element.innerText.trim());
    const attributes = (name: string) =>
      [...document.querySelectorAll(`main [${name}], [role="dialog"] [${name}], nav [${name}]`)].map(
        (element) => element.getAttribute(name) ?? '',
      );
    const parts = [
      'h2',
      'h3',
      'label',
      'legend',
      'dt',
      'th[scope="col"]',
      'button',
      '[role="tab"]',
      'summary',
    ];
    const within = parts.flatMap((part) => [`main ${part}`, `[role="dialog"] ${part}`]).join(', ');
    return {
      lang: document.documentElement.lang,
      title: document.title,
      heading: texts('h1').join(' | '),
      navigation: texts('nav a, nav p'),
      words: [
        ...texts(within),
        ...attributes('aria-label'),
        ...attributes('placeholder'),
        ...attributes('title'),
      ],
    };
  });

/** Words that are the same in Korean, and data. */
const SAME = /^(?:SKUs?|CSV|API|English|Sluice|JSON|curl|https?:.*|[A-Z]{3}|[\d.,:\s/-]+)$/;
const hasLatin = (text: string): boolean => /[A-Za-z]{2,}/.test(text) && !SAME.test(text);
const hasHangul = (text: string): boolean => /\p{Script=Hangul}/u.test(text);

function assertTranslated(screen: Screen, english: Labels, korean: Labels): void {
  assert.deepEqual([english.lang, korean.lang], ['en', 'ko']);
  if (screen.isNamed !== true) {
    assert.ok(!hasHangul(english.heading) && hasHangul(korean.heading), korean.heading);
    assert.ok(hasHangul(korean.title), korean.title);
  }
  assert.equal(korean.navigation.length, english.navigation.length);
  assert.deepEqual(
    korean.navigation.filter((text) => !hasHangul(text)),
    korean.navigation.filter((text) => SAME.test(text)),
  );
  const known = new Set(english.words);
  const left = korean.words.filter(
    (text) => known.has(text) && hasLatin(text) && !hasHangul(text) && screen.data?.test(text) !== true,
  );
  assert.deepEqual([...new Set(left)], [], 'English left on the Korean page');
}

/** By role and screen, recorded by the screen tests, so that the role tests need not open the screens again. */
const buttonsSeen = { admin: new Map<string, string[]>(), operator: new Map<string, string[]>() };

type Scheme = 'light' | 'dark';
/** One browser page per role and scheme: switching the colours of a page takes as long as opening the next screen. */
const desks: Partial<Record<`${Role} ${Scheme}`, Page>> = {};
type Role = keyof typeof buttonsSeen;

/** Opens the screen in English, at desktop width. */
async function openScreen({ path, isOutside }: Screen, role: Role, scheme: Scheme): Promise<Page> {
  if (isOutside === true) return visit({ to: path, scheme });
  const desk = (desks[`${role} ${scheme}`] ??= await visit({ role, to: '/couriers', scheme, keep: true }));
  await desk.setViewportSize(WIDE);
  const english = desk.locator('button[lang="en"]');
  if ((await english.count()) > 0) await english.dispatchEvent('click');
  await goTo(desk, path);
  return desk;
}

for (const [name, screen] of screens) {
  test(name, async () => {
    const page = await openScreen(screen, 'admin', 'light');
    const english = await labelsOf(page);
    if (screen.isOutside !== true) buttonsSeen.admin.set(name, await buttonsOf(page));
    for (const size of [WIDE, NARROW]) {
      await page.setViewportSize(size);
      await settled(page);
      const where = `${name}, light, ${size.width} px`;
      await assertFits(page, where);
      // Colours do not depend on the width. The menu of narrow pages is the same on every screen: one check is enough.
      await assertAccessible(page, where, {
        which: size === WIDE || name === 'overview' ? 'all' : 'all but colours',
        hasShell: name === 'overview',
      });
    }
    // Tablets, and the usual width at a zoom of 200 %.
    for (const width of [1024, 640]) {
      await page.setViewportSize({ ...WIDE, width });
      await settled(page);
      await assertFits(page, `${name}, ${width} px`);
    }
    await page.setViewportSize(NARROW);
    // Not a real click: a dialog may cover the button.
    await page.locator('button[lang="ko"]').dispatchEvent('click');
    await settled(page);
    await assertFits(page, `${name}, Korean, ${NARROW.width} px`);
    await page.setViewportSize(WIDE);
    await settled(page);
    assertTranslated(screen, english, await labelsOf(page));

    // The dark scheme changes only colours, which do not depend on the width: one width is enough. Screens without
    // admin-only actions are opened as an operator, so that the operator's buttons are recorded in the same visit.
    const role = name in ACTS.admin ? 'admin' : 'operator';
    const dark = await openScreen(screen, role, 'dark');
    if (role === 'operator' && screen.isOutside !== true)
      buttonsSeen.operator.set(name, await buttonsOf(dark));
    await dark.locator('html[data-mantine-color-scheme="dark"]').waitFor();
    await assertAccessible(dark, `${name}, dark`, { which: 'colours', hasShell: name === 'overview' });
    await assertFits(dark, `${name}, dark`);
  });
}

/** Buttons that require at least this role, by screen. */
const ACTS: Record<'operator' | 'admin', Record<string, string[]>> = {
  operator: {
    products: ['Add manually', 'Register from a channel'],
    product: ['Rename', 'Archive', 'Add item'],
    register: ['Fetch'],
    mappings: ['Import CSV', 'Map a SKU'],
    stock: ['Delivery or count'],
    'stock item': ['Set stock', 'Edit allocations'],
    allocations: ['Fill a column', 'Import CSV'],
    'unpaid order': ['Mark as paid', 'Prepare product', 'Prepare shipment', 'Ship', 'Cancel order'],
    'exchange rates': ['Add rate'],
    couriers: ['Add courier'],
    'rejected orders': ['Stock', 'Allocation'],
    orders: ['Ship from a list'],
    'shipped order': ['Return goods', 'Packing list', 'Add note'],
  },
  admin: {
    channels: ['New channel'],
    'new channel': ['New channel', 'Create'],
    channel: ['Save', 'Deactivate', 'New key', 'Archive'],
    users: ['Add user'],
    tokens: ['Create token'],
    webhooks: ['Add webhook'],
    webhook: ['Send test', 'Resume', 'New secret', 'Remove'],
  },
};
/** Buttons for viewers: they only show data, or change only the user's own page and password. */
const HARMLESS =
  /^(?:한국어|Clear|Copy command: .+|Copy the request ID: .+|Copy tracking number|Load more|Refresh|\d+ more|Rejected|Late reports|By order|By item|Channels|Orders holding stock|Ledger|Details|Export|Export CSV|Views|Columns|(?:Accepted: a|A)ny day|Order number|Amount|Accepted at|Check now|(?:Previous|Next) order in the list|Go to the overview|Mappings|Allocations|Orders|Open|Closed|Rules)$/;
/** The same on one screen only. */
const HARMLESS_ON: Record<string, RegExp> = {
  'change password': /^(?:Switch to (?:dark|light) colours|Show password|Change password)$/,
  mappings: /^(?:Mapped|Unmapped SKU requests) \d+$/,
  'exchange rates': /^[A-Z]{3}$/,
};

const buttonsOf = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { document } = globalThis as unknown as BrowserGlobals;
    const shown = [
      ...document.querySelectorAll('main button, main a.mantine-Button-root, [role="dialog"] button'),
    ].filter((element) => element.checkVisibility());
    const names = shown.map((element) => element.innerText || (element.getAttribute('aria-label') ?? ''));
    return [...new Set(names.map((name) => name.replaceAll(/\s+/g, ' ').trim()))];
  });

const hasFields = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { document } = globalThis as unknown as BrowserGlobals;
    const selector = 'main table input, main textarea:not([readonly]), main [type="submit"]';
    return [...document.querySelectorAll(selector)].some((element) => element.checkVisibility());
  });

for (const role of ['viewer', 'operator', 'admin'] as const) {
  test(`${role}: every allowed button is shown, and none that would be refused`, async () => {
    const page = await visit({ role, to: '/couriers' });
    const missing: string[] = [];
    const tooMuch: string[] = [];
    for (const [name, screen] of screens) {
      if (screen.isOutside === true) continue;
      // Only screens with actions that need a role differ for an operator.
      if (role === 'operator' && !(name in ACTS.operator) && !(name in ACTS.admin)) continue;
      const known = role === 'viewer' ? undefined : buttonsSeen[role].get(name);
      if (known === undefined) await goTo(page, screen.path);
      const buttons = known ?? (await buttonsOf(page));
      for (const needed of ['operator', 'admin'] as const) {
        const acts = ACTS[needed][name] ?? [];
        if (role === 'admin' || role === needed)
          missing.push(...acts.filter((act) => !buttons.includes(act)).map((act) => `${name}: ${act}`));
        else tooMuch.push(...acts.filter((act) => buttons.includes(act)).map((act) => `${name}: ${act}`));
      }
      if (role !== 'viewer') continue;
      const isHarmless = (text: string) => HARMLESS.test(text) || HARMLESS_ON[name]?.test(text) === true;
      tooMuch.push(...buttons.filter((text) => !isHarmless(text)).map((text) => `${name}: ${text}`));
      if (name !== 'change password' && (await hasFields(page))) tooMuch.push(`${name}: a form`);
    }
    assert.deepEqual(missing, [], 'missing');
    assert.deepEqual(tooMuch, [], 'would be refused');

    await goTo(page, '/users');
    const [title, links] = [page.getByRole('heading', { level: 1 }), page.getByRole('navigation')];
    const isAdmin = role === 'admin';
    assert.equal(await title.innerText(), isAdmin ? 'Users' : 'You don’t have access');
    assert.equal(await links.getByRole('link', { name: 'Tokens' }).count(), isAdmin ? 1 : 0);
    assert.equal(await links.getByRole('link', { name: 'Audit log' }).count(), 1);
  });
}

test('links between screens set the filter of the target screen', async () => {
  const page = await visit({ role: 'admin', to: `/channels/${shop.id}` });
  const main = page.getByRole('main');
  const follow = async (link: string, from: string): Promise<void> => {
    await goTo(page, from);
    await main.getByRole('link', { name: link, exact: true }).first().click();
    await page.waitForURL((url) => !url.pathname.endsWith(from));
    await settled(page);
  };
  const shows = (label: string, value: string) =>
    eventually(async () =>
      assert.equal(await main.getByRole('combobox', { name: label }).inputValue(), value),
    );
  const here = `/channels/${shop.id}`;
  await follow('Mappings', here);
  await shows('Channel', shop.name);
  await follow('Allocations', here);
  await shows('Items of channel', shop.name);
  await follow('Orders', here);
  await shows('Channel', shop.name);

  // Named like the demo's channels, so that the screens take it for data when they are opened later.
  const swiss = { name: 'Swiss Shop (Demo CH)', country_code: 'CH' };
  const { id } = await must(service.admin('POST', '/channels', swiss), 201);
  await follow('Enter a rate', `/channels/${id}`);
  assert.match(page.url(), /exchange-rates/);
  await shows('Currency', 'CHF');
});

test('an erased order is marked in the list and on its page, which shows no personal data', async () => {
  const by = { actor: 'test', request_id: null };
  // Not one of those that the screens show.
  const { id, order_number } = await accept(goods.sku, 1);
  await ship(id);
  await inTransaction(service.service.services.pool, (tx) =>
    eraseOrder(tx, by, { order_number, dry_run: false }),
  );
  const page = await visit({ role: 'viewer', to: `/orders/${id}` });
  const recipient = page.getByRole('region', { name: 'Recipient' });
  await eventually(async () =>
    assert.match(await recipient.innerText(), /personal data of this order was erased on/),
  );
  assert.equal(await recipient.getByRole('definition').count(), 0);
  await page.goto(address(`/orders?order_number=${order_number}`));
  await page.getByRole('cell', { name: 'Erased', exact: true }).waitFor();
});
