// `npm run screenshots`: a screenshot of every screen of the console with the demo data, in docs/images.
// `npm run screenshots -- --all DIR`: more screens for review, on desktop and phone, in both languages, light and dark.
// `--only REGEXP` takes only screenshots whose name matches.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { seedDemo } from '../../src/features/demo/changes.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { createSealer } from '../../src/platform/secrets/keys.ts';
import { createService } from '../../src/start/service.ts';
import { inTransaction } from '../../src/platform/database/transactions.ts';
import { SERVICE_ROLE } from '../../src/platform/embedded-postgres/roles.ts';
import { startEmbedded } from '../../src/platform/embedded-postgres/server.ts';
import { migrate } from '../../src/platform/database/migrations.ts';
import { bothSides, startStubChannel, stubOption, stubProduct } from '../../verify/kit/stub-channel.ts';
import { ensureChromium, launch, NO_BROWSER } from './chromium.mjs';
import { makeHistory } from './demo-history.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const argument = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? null : (process.argv[at + 1] ?? '');
};
const all = argument('--all');
const only = new RegExp(argument('--only') ?? '', 'u');
const images = all === null ? path.join(root, 'docs', 'images') : path.resolve(all);
const WIDE = { width: 1280, height: 800 };
const NARROW = { width: 390, height: 844 };
const DESK = { width: 1440, height: 900 };
/** The variants of `--all`: every size, language and scheme occurs, but not every combination. */
const WAYS = {
  'desk-en-light': { size: DESK },
  'desk-ko-dark': { size: DESK, language: 'ko', scheme: 'dark' },
  'phone-ko-light': { size: NARROW, language: 'ko' },
  'phone-en-dark': { size: NARROW, scheme: 'dark' },
};
const TOKEN = 'screenshots-token-0123456789';
const SECRET = 'screenshots-secret-0123456789-0123456789';
const SHOP_ADDRESS = 'https://shop.example.com/api/goods';
const PASSWORD = 'a few words for the pictures';
const PORT = Number(process.env.PORT ?? 8080);

async function main() {
  const browser = await ensureChromium();
  if (browser === null) throw new Error(NO_BROWSER);
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sluice-screenshots-'));
  const log = { info: () => {}, warn: (message) => process.stderr.write(`${message}\n`) };
  const server = await startEmbedded({ dataDir, log, settings: { fsync: 'off' } });
  try {
    await migrate(server.ownerUrl, SERVICE_ROLE);
    const stub = await startStubChannel();
    const { service, origin } = await startService(server.url);
    try {
      await picture(browser, origin, await fill(service, origin, stub, pastOf(server)));
    } finally {
      await service.stop();
      stub.close();
    }
  } finally {
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/**
 * Runs SQL as superuser without the triggers that protect the ledgers, to move the demo's history into the
 * past.
 */
function pastOf(server) {
  const url = new URL(server.adminUrl);
  url.pathname = '/sluice';
  url.searchParams.set('options', '-c session_replication_role=replica');
  return async (sql, values) => {
    const client = new pg.Client({ connectionString: url.href });
    await client.connect();
    try {
      return await client.query(sql, values);
    } finally {
      await client.end();
    }
  };
}

/** Listens on the usual port, which the curl examples show, or on any free port if that one is in use. */
async function startService(url) {
  for (const port of [PORT, 0]) {
    const env = { PORT: String(port), SLUICE_ADMIN_TOKEN: TOKEN, SLUICE_ALLOW_PRIVATE_CHANNEL_URLS: '1' };
    const service = await createService(
      readConfig(env, root),
      { url, secret: SECRET },
      pino({ level: 'error' }),
    );
    try {
      return { service, origin: await service.listen() };
    } catch (error) {
      await service.stop();
      if (error.code !== 'EADDRINUSE') throw error;
    }
  }
  throw new Error('no port to listen on');
}

async function fill(service, origin, stub, query) {
  const { pool } = service.services;
  const call = async (method, url, body, headers) => {
    const answer = await fetch(`${origin}${url}`, {
      method,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? null : JSON.parse(text), headers: answer.headers };
  };
  const admin = async (method, url, body) => {
    const answer = await call(method, `/admin/v1${url}`, body, { authorization: `Bearer ${TOKEN}` });
    if (answer.status >= 400)
      throw new Error(`${method} ${url}: ${answer.status} ${JSON.stringify(answer.json)}`);
    return answer;
  };
  const { channels } = await inTransaction(pool, (tx) =>
    seedDemo(tx, { actor: 'cli:demo', request_id: null }, { sealer: createSealer(SECRET), force: false }),
  );
  const traits = [
    { currency: 'KRW', prefix: 'SEL' },
    { currency: 'JPY', prefix: 'TYO' },
    { currency: 'USD', prefix: 'PDX' },
  ];
  const shops = channels.map((channel, n) => ({ ...channel, ...traits[n] }));
  await admin('POST', '/channels', { name: 'Alpen Linsen', country_code: 'CH', is_active: false });
  await makeRates(admin);
  const account = await makePeople(admin, call);
  await makeHistory({
    shops,
    admin,
    api: (method, url, body, key) => call(method, `/api/v1${url}`, body, { 'x-api-key': key }),
    query,
  });
  fillStub(stub);
  if (all !== null) await makeMore(admin, stub, service);
  return { pool, stub, cookie: account.cookie, shop: shops[0] };
}

/** Data that only the screenshots of `--all` show: ten channels, endpoints, a rate source that fails, alerts. */
async function makeMore(admin, stub, service) {
  const names = ['Hanok Lens', '렌즈타운', 'Optik Berlin', 'Lentilles Paris', 'Ojos Madrid', 'Occhi Roma'];
  for (const name of names) await admin('POST', '/channels', { name, country_code: 'KR' });
  const hook = { url: stub.url, events: ['order.accepted'], description: '창고 시스템' };
  await admin('POST', '/webhooks', hook);
  await admin('POST', '/webhooks', {
    ...hook,
    url: 'http://127.0.0.1:1/erp',
    description: '',
    is_active: false,
  });
  for (const id of [1, 2]) await admin('POST', `/webhooks/${id}/test`);
  const rates = { kind: 'json', url: 'http://127.0.0.1:1/rates', path: 'rates.{currency}' };
  await admin('PUT', '/exchange-rate-source', { ...rates, currencies: ['USD', 'JPY'], every_minutes: 60 });
  await admin('POST', '/exchange-rate-source/run');
  await admin('PATCH', '/variants/CARE-SOL-355ML', { low_stock_at: 1_000 });
  await service.jobs.runNow('alerts');
}

async function makeRates(admin) {
  const day = (n) => new Date(Date.now() - n * 86_400_000).toISOString();
  for (const [currency_code, ...rates] of [
    ['JPY', '9.18', '9.24', '9.31', '9.27', '9.40', '9.35'],
    ['USD', '1378.5', '1391.2', '1386', '1402.75', '1398.1'],
  ]) {
    for (const [n, rate] of rates.entries())
      await admin('POST', '/exchange-rates', {
        currency_code,
        rate,
        effective_at: day((rates.length - n) * 6),
      });
  }
  await admin('POST', '/exchange-rates', { currency_code: 'USD', rate: '1405', effective_at: day(-3) });
}

async function makePeople(admin, call) {
  for (const [email, name, role] of [
    ['seoyeon.kang@example.com', '강서연', 'operator'],
    ['jiho.yoon@example.com', '윤지호', 'operator'],
    ['auditor@example.com', null, 'viewer'],
  ])
    await admin('POST', '/users', { email, role, ...(name === null ? {} : { name }) });
  for (const [name, role] of [
    ['warehouse-scanner', 'operator'],
    ['metabase', 'viewer'],
  ])
    await admin('POST', '/tokens', { name, role });

  const me = { email: 'minji.kim@example.com', name: '김민지', role: 'admin' };
  const { password } = (await admin('POST', '/users', me)).json.data;
  const entered = await call('POST', '/admin/v1/session', { email: me.email, password }, {});
  const changed = await call(
    'PUT',
    '/admin/v1/session/password',
    { current_password: password, new_password: PASSWORD },
    { cookie: cookieOf(entered), 'x-csrf-token': entered.json.data.csrf_token },
  );
  return { cookie: cookieOf(changed) };
}

const cookieOf = ({ headers }) => headers.get('set-cookie').split(';', 1)[0];

function fillStub(stub) {
  const powers = ['0.00', '-0.50', '-1.00', '-1.50', '-2.00', '-2.50'];
  const name = '루나 그레이 먼슬리 좌우 세트 · Luna Grey Monthly Set';
  const sound = bothSides(
    powers.map((power, n) =>
      stubOption(power, `LG-${String(n + 1).padStart(2, '0')}`, { stock: 12 + n * 7, hidden: n === 5 }),
    ),
  );
  stub.answers.set('LUNA1M', stubProduct(sound, { goods_name: name, is_monthly: 1 }));
  const faulty = sound
    .filter((_, n) => n !== 9)
    .map((option, n) => (n === 7 ? { ...option, option_code: 'LG-2B' } : option));
  stub.answers.set('LUNA2W', stubProduct(faulty, { goods_name: name, is_monthly: 1 }));
}

async function picture(options, origin, { pool, stub, cookie, shop }) {
  const item = await busiestItem(pool);
  const order = await foreignOrder(pool);
  const { rows } = await pool.query('select id from orders where status = 1 order by id limit 3');
  const open = rows.map(({ id }) => id);
  const setAddress = (url) => pool.query('update channel set api_url = $1 where id = $2', [url, shop.id]);
  const stockItem = `/stock/${encodeURIComponent(item)}`;
  const register = (code) => ({
    to: `/register?channel=${shop.id}&code=${code}`,
    prepare: fetched,
  });
  const shots = [
    { name: 'sign-in', to: '/sign-in', isOutside: true },
    { name: 'overview', to: '/' },
    { name: 'overview-dark', to: '/', scheme: 'dark' },
    { name: 'overview-korean', to: '/', language: 'ko' },
    { name: 'register', ...register('LUNA1M') },
    { name: 'register-narrow', ...register('LUNA1M'), size: NARROW },
    { name: 'register-faults', ...register('LUNA2W') },
    { name: 'channels', to: '/channels' },
    { name: 'channel', to: `/channels/${shop.id}` },
    { name: 'products', to: '/products' },
    { name: 'product', to: '/products/MOON1M' },
    { name: 'mappings', to: `/mappings?channel=${shop.id}` },
    { name: 'mappings-asked', to: `/mappings?channel=${shop.id}&tab=asked` },
    { name: 'stock', to: '/stock' },
    { name: 'stock-item', to: stockItem },
    { name: 'stock-item-narrow', to: stockItem, size: NARROW },
    { name: 'allocations', to: '/allocations?search=AQUA1D', prepare: allocated },
    { name: 'orders', to: '/orders' },
    { name: 'order', to: `/orders/${order}` },
    { name: 'exchange-rates', to: '/exchange-rates?currency_code=USD' },
    { name: 'couriers', to: '/couriers' },
    { name: 'users', to: '/users' },
    { name: 'tokens', to: '/tokens' },
    { name: 'audit', to: '/audit' },
  ];
  const more = [
    { name: 'new-channel', to: '/channels?new=1' },
    { name: 'missing-stock', to: '/stock?show=missing' },
    { name: 'delivery', to: '/stock?bulk=add' },
    { name: 'ledger', to: `${stockItem}?tab=ledger` },
    { name: 'stock-details', to: `${stockItem}?tab=details` },
    { name: 'carrier-list', to: '/orders?list=1' },
    { name: 'selected', to: '/orders?status=1', prepare: selected },
    { name: 'packing', to: `/packing?ids=${open.join(',')}` },
    { name: 'rejected', to: '/refusals' },
    { name: 'late', to: '/refusals?tab=late' },
    { name: 'backorders', to: '/backorders' },
    { name: 'backorder-items', to: '/backorders?tab=items' },
    { name: 'webhooks', to: '/webhooks' },
    { name: 'webhook', to: '/webhooks/1' },
    { name: 'alerts', to: '/alerts' },
    { name: 'alert-rules', to: '/alerts?tab=rules' },
    { name: 'account', to: '/account' },
    { name: 'palette', to: '/', prepare: searched },
    { name: 'allocations-wide', to: '/allocations' },
  ];
  const wanted =
    all === null ? shots : everyWay([...shots.filter((shot) => shot.size === undefined), ...more]);
  mkdirSync(images, { recursive: true });
  const browser = await launch(options);
  try {
    for (const { name, ...shot } of wanted.filter((one) => only.test(one.name))) {
      // Use the stub only where something is fetched; elsewhere its address would be visible in the screenshot.
      await setAddress(shot.prepare === fetched ? stub.url : SHOP_ADDRESS);
      const png = await shoot(browser, { origin, cookie, ...shot });
      writeFileSync(path.join(images, `${name}.png`), png);
      process.stderr.write(`${path.join(images, name)}.png\n`);
    }
  } finally {
    await browser.close();
  }
}

/**
 * Screenshots with the same settings share a page, because opening a new one takes longer than the screenshot.
 */
const pages = new Map();

async function pageOf(browser, { origin, cookie, isOutside, scheme, language, size }) {
  const key = JSON.stringify([isOutside, scheme, language, size]);
  const known = pages.get(key);
  if (known) return known;
  const context = await browser.newContext({
    viewport: size ?? WIDE,
    colorScheme: scheme ?? 'light',
    locale: language === 'ko' ? 'ko-KR' : 'en-US',
    reducedMotion: 'reduce',
  });
  const [name, value] = cookie.split('=');
  if (!isOutside) await context.addCookies([{ name, value, url: origin }]);
  const page = await context.newPage();
  page.on('dialog', (dialog) => void dialog.accept()); // discards unsaved input from the screenshot before
  pages.set(key, page);
  return page;
}

async function shoot(browser, { to, prepare, ...look }) {
  const page = await pageOf(browser, look);
  await page.goto(`${look.origin}/console${to}`);
  await settled(page);
  await prepare?.(page);
  await settled(page);
  return page.screenshot();
}

const everyWay = (shots) =>
  Object.entries(WAYS).flatMap(([way, look]) =>
    shots.map(({ name, ...shot }) => ({ ...shot, ...look, name: `${name}-${way}` })),
  );

async function selected(page) {
  for (const n of [0, 1, 2]) await page.locator('tr[data-row] input[type=checkbox]').nth(n).click();
}

async function fetched(page) {
  await page.locator('form button[type=submit]').first().click();
  await page.locator('.register-options, table').first().waitFor();
  await page.waitForTimeout(800); // the plan is requested when the selection has not changed for a moment
}

/** The palette is loaded when it is first opened, and fades in. */
async function searched(page) {
  await page.keyboard.press('Control+K');
  await page.locator('[role=dialog] input').waitFor();
  await page.waitForFunction(() =>
    document.getAnimations().every(({ playState }) => playState !== 'running'),
  );
}

/** An unsaved change, so that the screenshot shows the preview. */
async function allocated(page) {
  await page.locator('.allocations-cell input').first().fill('40');
}

async function settled(page) {
  await page.waitForLoadState('networkidle');
  await page.waitForFunction(
    () =>
      document.querySelector('h1') !== null &&
      document.querySelector('[aria-busy="true"], .mantine-Skeleton-root, .mantine-Loader-root') === null,
  );
  await page.evaluate(() => document.fonts.ready);
}

async function busiestItem(pool) {
  const { rows } = await pool.query(
    `select v.code from stock_movement m join variant v on v.id = m.variant_id
     group by v.code order by count(distinct m.kind) desc, count(*) desc, v.code limit 1`,
  );
  return rows[0].code;
}

async function foreignOrder(pool) {
  const { rows } = await pool.query(
    `select o.id from orders o where o.status = 3 and o.local_currency_code = 'JPY'
       and (select count(*) from order_item i where i.order_id = o.id) = 2
       and (select count(*) from order_history h where h.order_id = o.id) = 3 order by o.id limit 1`,
  );
  return rows[0].id;
}

await main();
