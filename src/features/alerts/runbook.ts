// /docs/runbook: docs/runbook.md as a page. Alerts link to its sections.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { RUNBOOK_PATH } from './rules.ts';
import { once, pageOf, sendPage, type Ready } from '../../platform/docs/layout.ts';

const FILE = fileURLToPath(new URL('../../../docs/runbook.md', import.meta.url));

export function registerRunbook(app: FastifyInstance): void {
  const page = once(makePage);
  app.get(RUNBOOK_PATH, { schema: { hide: true } }, async (request, reply) =>
    sendPage(request, reply, await page()),
  );
}

async function makePage(): Promise<Ready> {
  const { renderMarkdown } = await import('../../platform/docs/markdown.ts');
  // Other files of the project are not served: their links become text.
  const { html, headings } = renderMarkdown(readFileSync(FILE, 'utf8'), (href) =>
    /^(?:https:|#)/.test(href) ? href : null,
  );
  const sections = headings.map(({ id, html: title }) => `<li><a href="#${id}">${title}</a></li>`);
  return pageOf({
    title: 'Runbook · Sluice',
    header: '<p class="trail"><a href="/docs">Sluice API</a></p>\n<h1>Runbook</h1>',
    contents: `<ul class="guides">${sections.join('')}</ul>`,
    main: html,
  });
}
