// `npm run bench:scroll -- --rows 5000`: scrolls through a list of orders in the console and through plain lines, and
// measures the frames.
import { openSession } from '../../src/platform/accounts/sessions-store.ts';
import { count, optionsOf, optionsOrExit } from '../../verify/kit/command-line.ts';
import { connect } from '../../verify/kit/connection.ts';
import { startOwnServer } from '../../verify/kit/server.ts';
import { openService, TEST_SECRET } from '../../verify/kit/service.ts';
import { ensureChromium, launch, NO_BROWSER } from '../scripts/chromium.mjs';
import { addChannel, fillCatalogue } from './catalogue.ts';
import { fillOrders } from './order-rows.ts';

const VARIANTS = 100;
/** A row of the dense table has 36 px, so this is 100 rows per second at 60 frames per second. */
const STEP_PX = 60;
const FRAME_MS = 1000 / 60;
const FRAMES = 600;
const VIEWPORT = { width: 1440, height: 900 };

const HELP = `npm run bench:scroll -- [options]

Scrolls through a list of orders in the console and through plain lines, and measures the frames.

  --rows N   number of rows (default 5000)
  --help`;

const { rows: ROWS } = optionsOrExit(HELP, optionsOf({ rows: count(5000) }));
const say = (text) => void process.stdout.write(`${text}\n`);

/** Scrolls by one step per frame. */
async function scrolled(page) {
  await page.evaluate('window.scrollTo(0, 0)');
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const busySeconds = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')
      ?.value ?? 0;
  const before = await busySeconds();
  const frames = await page.evaluate(`new Promise((resolve) => {
    const frames = [];
    let last = performance.now();
    const step = (now) => {
      frames.push(now - last);
      last = now;
      const y = window.scrollY;
      window.scrollBy(0, ${STEP_PX});
      if (window.scrollY > y && frames.length <= ${FRAMES}) requestAnimationFrame(step); else resolve(frames.slice(1));
    };
    requestAnimationFrame(step);
  })`);
  const busyMs = ((await busySeconds()) - before) * 1000;
  const total = frames.reduce((sum, ms) => sum + ms, 0);
  return { frames, rate: (frames.length * 1000) / total, workMs: busyMs / frames.length };
}

function report(what, { frames, rate, workMs }) {
  const sorted = frames.toSorted((a, b) => a - b);
  const at = (share) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
  const late = frames.filter((ms) => ms > FRAME_MS * 1.5).length;
  say(
    `${what}, ${frames.length} frames: ${rate.toFixed(1)} frames/s; frame: median ${at(0.5)} ms, 95 % ${at(0.95)} ms, 99 % ${at(0.99)} ms; late: ${((late * 100) / frames.length).toFixed(1)} %; work of the page ${workMs.toFixed(1)} ms a frame`,
  );
}

const options = await ensureChromium();
if (options === null) throw new Error(NO_BROWSER);
const server = await startOwnServer({});
const service = await openService({ database: server.database });
const browser = await launch(options);
try {
  const client = await connect(server.database.adminUrl);
  const { id } = await addChannel(client, TEST_SECRET, 'A');
  await fillCatalogue(client, id, VARIANTS);
  await fillOrders(client, { channelId: id, orders: ROWS, variants: VARIANTS });
  const { rows } = await client.query(
    `insert into account (email, role, password_hash, must_change_password)
     values ('bench@example.com', 'operator', '', false) returning id`,
  );
  await client.end();
  const device = { address: '127.0.0.1', user_agent: null };
  const { session_id } = await openSession(service.service.services.pool, rows[0].id, device);
  const page = await browser.newPage({ viewport: VIEWPORT });
  await page.context().addCookies([{ name: 'sluice_session', value: session_id, url: service.origin }]);
  await page.goto(`${service.origin}/console/orders`);
  await page.locator('tr[data-row]').first().waitFor();
  // Load all rows first: measure the frames of a list of this length, not of its loading.
  while (
    !(await page.locator('.data-table-foot').innerText()).includes(`${ROWS.toLocaleString('en-US')} rows`)
  ) {
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)');
    await page.waitForTimeout(50);
  }
  const list = await scrolled(page);
  // The cost of the browser itself: the same number of plain lines without React.
  const plain = await browser.newPage({ viewport: VIEWPORT });
  await plain.evaluate(`document.body.innerHTML = Array.from({ length: ${ROWS} },
    (_, n) => '<div style="height: 35px; border-bottom: 1px solid #ddd">Line ' + n + '</div>').join('')`);
  const lines = await scrolled(plain);
  report(`${ROWS} orders`, list);
  report(`${ROWS} plain lines`, lines);
  say(`frames/s, orders ÷ plain lines: ${(list.rate / lines.rate).toFixed(2)}`);
} finally {
  await browser.close();
  await service.close();
  await server.remove();
}
