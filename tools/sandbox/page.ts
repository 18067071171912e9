// The /sandbox page: the test data, and the last requests of a key. Rendered on the server, without scripts.
import { createHash } from 'node:crypto';
import { DOCS_STYLE } from '../../src/platform/docs/style.ts';
import { maskKey } from './mask.ts';
import type { Exchange } from './recorder.ts';
import { DOCS_SHOPS, DOCS_VARIABLES, ORDERS, SITUATIONS, TEST_CHANNELS } from './seed-data.ts';

const STYLE = `${DOCS_STYLE}
main { max-width: 60rem; } form { margin: .5rem 0 1rem; display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
label { display: block; font-size: .875rem; color: var(--soft); flex: 1 1 20rem; max-width: 32rem; }
input { display: block; width: 100%; font: inherit; color: inherit; background: var(--paper); padding: .45rem .6rem;
  border: 1px solid var(--soft); border-radius: 6px; }
button { font: inherit; color: var(--paper); background: var(--link); border: 0; border-radius: 6px; padding: .5rem .9rem;
  min-height: 2.5rem; cursor: pointer; }
input:focus-visible, button:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
details h3 { font-size: .875rem; margin: 1rem .75rem .35rem; color: var(--soft); }
summary time, summary small { color: var(--soft); font-size: .8125rem; margin-left: .5rem; }
.wrong { color: var(--delete); } .fine { color: var(--get); }
@media (min-width: 64rem) { body { display: block; } }
`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');
export const PAGE_POLICY =
  `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'self'; ` +
  `frame-ancestors 'none'`;

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

interface View {
  /** The base URL as the client reaches it. */
  base: string;
  exchanges: readonly Exchange[];
  /** The key whose requests are shown; null: requests without a known key. */
  of: string | null;
  fault: string | null;
}

export const page = ({ base, exchanges, of, fault }: View): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sluice sandbox</title>
<style>${STYLE}</style>
</head>
<body>
<header><h1>Sluice sandbox</h1>
<p>Base address <code>${escape(base)}</code>. Nothing here is real, and everything can be tried.
<a href="/sandbox/try">Try it here</a>, <a href="/docs">API reference</a>, <a href="/docs/channels">guides</a>,
<a href="/console/">console</a>.</p></header>
<main>
<section id="requests">
<h2>${of === null ? 'Requests without a known key' : `Last requests of <code>${escape(maskKey(of))}</code>`}</h2>
<form method="post" action="/sandbox">
<label>API key of your channel<input name="key" autocomplete="off" spellcheck="false" required maxlength="100"></label>
<button>Show its requests</button>
</form>
${fault === null ? '' : `<p class="wrong" role="alert">${escape(fault)}</p>`}
${exchanges.length === 0 ? '<p>None since the last reset.</p>' : exchanges.map(exchangeBlock).join('\n')}
</section>
${of === null ? contents(base) : ''}
</main>
</body>
</html>
`;

function exchangeBlock({
  at,
  method,
  path,
  status,
  duration_ms,
  request_id,
  error,
  fault,
  request_body,
  answer_body,
  notes,
}: Exchange): string {
  const isWrong = notes.some(({ is_fault }) => is_fault);
  const lines = notes.map(
    ({ is_fault, text, link }) =>
      `<p class="${is_fault ? 'wrong' : 'fine'}">${escape(text)} <a href="${escape(link)}">In the docs</a></p>`,
  );
  const asked = fault === null ? '' : `<p class="fine">Requested fault: ${escape(fault)}.</p>`;
  const described =
    error === null
      ? ''
      : ` <a href="${escape(error.link)}"><code>${escape(error.reason)}</code> in the docs</a>`;
  const named =
    request_id === null ? '' : `<p>Request id <code>${escape(request_id)}</code>.${described}</p>`;
  const bodies = Object.entries({ Request: request_body, Answer: answer_body }).map(([title, body]) =>
    body === null ? '' : `<h3>${title}</h3><pre><code>${escape(body)}</code></pre>`,
  );
  return `<details${isWrong ? ' open' : ''}><summary><b class="${status < 400 ? 'fine' : 'wrong'}">${status}</b>
<span class="method ${method === 'GET' ? 'get' : 'post'}">${escape(method)}</span> <code>${escape(path)}</code>
<time datetime="${at}">${at.slice(11, 19)} UTC</time><small>${duration_ms} ms</small></summary>
${asked}${lines.join('')}${named}${bodies.join('')}</details>`;
}

const row = (name: string, about: string): string =>
  `<div><dt><code>${escape(name)}</code></dt><dd>${escape(about)}</dd></div>`;

/** The export lines of the variables that the pages of docs/channels use. */
export const exportsFor = (base: string): string[] =>
  Object.entries({ SLUICE: base, ...DOCS_VARIABLES }).map(([name, value]) => `export ${name}=${value}`);

function contents(base: string): string {
  const channels = TEST_CHANNELS.map(({ api_key, name, country_code }) =>
    row(api_key, `${name}: SKUs and orders begin with ${country_code}-`),
  );
  const shops = DOCS_SHOPS.map(({ api_key, name, about }) => row(api_key, `${name}: ${about}`));
  const stock = SITUATIONS.map(({ skus, about }) => row(skus.map((sku) => `KR-${sku}`).join(', '), about));
  const orders = ORDERS.map(({ number, about }) => row(`KR-${number}`, about));
  return `<section><h2>Test keys</h2><dl>${channels.join('')}${shops.join('')}</dl>
<h2>Examples of the docs</h2>
<p>They run here as they stand, with these variables: <a href="/docs/channels/first-order">First order</a>.</p>
<pre tabindex="0"><code>${escape(exportsFor(base).join('\n'))}</code></pre>
<h2>Faults on demand</h2>
<p>A request with the header <code>X-Sandbox-Fault</code> fails on purpose: <code>503</code> (also 408, 429, 500),
<code>slow=3000</code> milliseconds, <code>reset</code> (done, but the connection is closed without an answer),
<code>sell-out</code> (an order is refused as if others had been faster).</p>
<h2>Time travel</h2>
<p><code>POST /sandbox/time</code> with a test key and <code>{"advance_seconds": 3600}</code>: rates take effect and unpaid
orders expire as if so much time had passed.</p>
<h2>Your product information</h2>
<p><code>POST /sandbox/product-information</code> with a test key and
<code>{"api_url": "http://127.0.0.1:9000/", "usercode": "DAY"}</code> calls your server and shows what the operator would
see.</p>
<h2>Stock</h2><p>The same for JP- and US-.</p><dl>${stock.join('')}</dl>
<h2>Orders</h2><dl>${orders.join('')}</dl>
<h2>Reset</h2>
<p>Puts everything back as it was, for everybody: <code>POST /sandbox/reset</code> with a test key in
<code>X-Api-Key</code>, which answers when it is done.</p>
<form method="post" action="/sandbox/reset">
<label>One of the test keys<input name="key" autocomplete="off" spellcheck="false" required maxlength="100"></label>
<button>Reset the sandbox</button>
</form></section>`;
}
