// /docs/channels: the files of docs/channels as pages, each rendered once, at its first request.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { escape, once, pageOf, sendPage, type Ready } from '../../platform/docs/layout.ts';

const DIRECTORY = fileURLToPath(new URL('../../../docs/channels', import.meta.url));
const ADDRESS = '/docs/channels';
const INDEX = 'README';

/** Only file names from the directory are served: no part of a request becomes a path. */
export function registerChannelDocs(app: FastifyInstance): void {
  const pages = once(readPages);
  const hidden = { schema: { hide: true } };
  app.get(ADDRESS, hidden, async (request, reply) => {
    const index = pages().get(INDEX);
    return index ? sendPage(request, reply, await index()) : reply.callNotFound();
  });
  app.get(`${ADDRESS}/`, hidden, async (_request, reply) => reply.redirect(ADDRESS, 302));
  app.get<{ Params: { name: string } }>(`${ADDRESS}/:name`, hidden, async (request, reply) => {
    const { name } = request.params;
    const page = name === INDEX ? undefined : pages().get(name);
    return page ? sendPage(request, reply, await page()) : reply.callNotFound();
  });
  app.get<{ Params: { name: string } }>(`${ADDRESS}/:name/`, hidden, async (request, reply) => {
    const { name } = request.params;
    return name !== INDEX && pages().has(name) ? reply.redirect(addressOf(name), 302) : reply.callNotFound();
  });
}

interface Guide {
  name: string;
  title: string;
  text: string;
}

function readPages(): Map<string, () => Promise<Ready>> {
  const read = readdirSync(DIRECTORY)
    .filter((file) => file.endsWith('.md'))
    .map((file): Guide => {
      const text = readFileSync(join(DIRECTORY, file), 'utf8');
      return { name: file.slice(0, -'.md'.length), title: /^# (.+)$/m.exec(text)?.[1] ?? file, text };
    });
  const guides = inOrderOfIndex(read);
  return new Map(guides.map((guide) => [guide.name, once(() => pageFor(guide, guides))]));
}

/** The index first, then the other pages in its order. */
function inOrderOfIndex(guides: readonly Guide[]): Guide[] {
  const index = guides.find(({ name }) => name === INDEX)?.text ?? '';
  const place = ({ name }: Guide): number => (name === INDEX ? -1 : index.indexOf(`(${name}.md`));
  return guides.toSorted((a, b) => place(a) - place(b));
}

async function pageFor(guide: Guide, guides: readonly Guide[]): Promise<Ready> {
  // Loaded at the first request: its regular expressions would take longer at the start than any of our modules.
  const { renderMarkdown } = await import('../../platform/docs/markdown.ts');
  const { html, headings } = renderMarkdown(guide.text, targetOf);
  const sections = headings
    .filter(({ depth }) => depth === 2)
    .map(({ id, html: title }) => `<li><a href="#${id}">${title}</a></li>`);
  const entries = guides.map(({ name, title }) => {
    const isHere = name === guide.name;
    const inner = isHere && sections.length > 0 ? `<ul>${sections.join('')}</ul>` : '';
    return `<li><a href="${addressOf(name)}"${isHere ? ' aria-current="page"' : ''}>${escape(title)}</a>${inner}</li>`;
  });
  return pageOf({
    title: `${guide.title} · Sluice`,
    header: `<p class="trail"><a href="/docs">Sluice API</a> / <a href="${ADDRESS}">For channel developers</a></p>
<h1>${escape(guide.title)}</h1>`,
    contents: `<ul class="guides">${entries.join('')}<li><a href="/docs">API reference</a></li></ul>`,
    main: html,
  });
}

const addressOf = (name: string): string => (name === INDEX ? ADDRESS : `${ADDRESS}/${name}`);

/** Keeps links to these pages and to other sites. Removes links to other files of the project, which are not served. */
function targetOf(href: string): string | null {
  if (/^(?:https:|#)/.test(href)) return href;
  const [, name, anchor = ''] = /^([\w-]+)\.md(#[\w-]+)?$/.exec(href) ?? [];
  return name === undefined ? null : `${addressOf(name)}${anchor}`;
}
