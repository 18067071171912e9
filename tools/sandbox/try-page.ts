// /sandbox/try: a form for each operation of the channel API, generated from its OpenAPI document. The only
// page of the sandbox with a script, which is our own file; nothing is loaded from other hosts.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { OpenApiDocument, Operation, Parameter } from '../../src/platform/docs/document.ts';
import { escape } from '../../src/platform/docs/layout.ts';
import { DOCS_STYLE } from '../../src/platform/docs/style.ts';
import { DOCS_SHOPS, TEST_CHANNELS } from './seed-data.ts';

const STYLE = `${DOCS_STYLE}
main { max-width: 60rem; } body { display: block; }
label { display: block; font-size: .875rem; color: var(--soft); margin: .5rem 0; }
input, select, textarea { display: block; width: 100%; max-width: 44rem; font: inherit; color: inherit;
  background: var(--paper); padding: .4rem .6rem; border: 1px solid var(--soft); border-radius: 6px; }
textarea { font-family: ui-monospace, monospace; font-size: .8125rem; min-height: 12rem; }
button { font: inherit; color: var(--paper); background: var(--link); border: 0; border-radius: 6px; padding: .5rem .9rem;
  min-height: 2.5rem; cursor: pointer; margin: .5rem 0; }
input:focus-visible, select:focus-visible, textarea:focus-visible, button:focus-visible { outline: 2px solid var(--link);
  outline-offset: 2px; }
details { padding-bottom: .25rem; } details > form { padding: 0 .75rem; }
.settings { border-bottom: 1px solid var(--soft); padding-bottom: 1rem; margin-bottom: 1rem; }
`;

const styleHash = createHash('sha256').update(STYLE).digest('base64');
export const TRY_POLICY =
  `default-src 'none'; script-src 'self'; style-src 'sha256-${styleHash}'; connect-src 'self'; base-uri 'none'; ` +
  `form-action 'none'; frame-ancestors 'none'`;

export const TRY_SCRIPT = readFileSync(new URL('try-browser.mjs', import.meta.url), 'utf8');

const FAULTS = ['', '408', '429', '500', '503', 'slow=3000', 'reset', 'sell-out'];

export const tryPage = (document: OpenApiDocument): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Try the channel API · Sluice sandbox</title>
<style>${STYLE}</style>
<script type="module" src="/sandbox/try.js"></script>
</head>
<body>
<header><h1>Try the channel API</h1>
<p>Requests go to this sandbox, where nothing is real. <a href="/sandbox">Inspector</a>, <a href="/docs">API reference</a>,
<a href="/docs/channels">guides</a>.</p></header>
<main>
<section class="settings" aria-label="Settings">
${select('key', 'Channel', shopOptions())}
<label>Other key<input id="other-key" autocomplete="off" spellcheck="false" maxlength="100"></label>
<label>Signing secret; empty: requests are not signed<input id="secret" autocomplete="off" spellcheck="false" maxlength="100"></label>
${select(
  'fault',
  'Fault on demand (X-Sandbox-Fault)',
  FAULTS.map((fault) => `<option value="${fault}">${fault === '' ? 'none' : fault}</option>`),
)}
</section>
${document.tags.map(({ name }) => `<h2>${escape(name)}</h2>${formsOf(document, name)}`).join('\n')}
</main>
</body>
</html>
`;

const select = (id: string, label: string, options: readonly string[]): string =>
  `<label>${escape(label)}<select id="${id}">${options.join('')}</select></label>`;

/** The shops of the docs come first, because the examples use their SKUs. */
const shopOptions = (): string[] =>
  [...DOCS_SHOPS, ...TEST_CHANNELS].map(
    (shop) =>
      `<option value="${shop.api_key}" data-secret="${'signing' in shop ? (shop.signing?.secret ?? '') : ''}">${escape(shop.name)}</option>`,
  );

const formsOf = ({ paths, servers }: OpenApiDocument, tag: string): string =>
  Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { tags = [] }]) => tags[0] === tag)
        .map(([method, operation]) => formOf(method, (servers[0]?.url ?? '') + path, operation)),
    )
    .join('\n');

function formOf(method: string, address: string, operation: Operation): string {
  const { operationId, summary = '', parameters = [], requestBody } = operation;
  const path = address.replace(/^https?:\/\/[^/]+/, '');
  const shown = parameters.filter(
    (parameter) => parameter.in !== 'header' || parameter.name === 'If-None-Match',
  );
  const example = requestBody?.content['application/json'].example;
  const body =
    example === undefined
      ? ''
      : `<label>Body<textarea name="body" spellcheck="false">${escape(JSON.stringify(example, null, 2))}</textarea></label>`;
  return `<details id="${operationId}"><summary><span class="method ${method}">${method.toUpperCase()}</span>
<code>${escape(path)}</code></summary>
<form data-method="${method.toUpperCase()}" data-path="${escape(path)}">
<p>${escape(summary)}.</p>
${shown.map(fieldOf).join('\n')}
${body}
<button>Send</button>
<output aria-live="polite"></output>
</form></details>`;
}

/** Only required parameters are filled in: optional ones would change the result. */
function fieldOf({ name, in: place, required, description = '', example = '' }: Parameter): string {
  const value = required === true ? String(example) : '';
  return `<label>${escape(name)}${required === true ? '' : ' (optional)'}: ${escape(description)}
<input name="${escape(name)}" data-in="${place}" value="${escape(value)}" placeholder="${escape(String(example))}"
autocomplete="off" spellcheck="false"${required === true && name !== 'changes_since' ? ' required' : ''}></label>`;
}
