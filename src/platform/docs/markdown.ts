// Renders our own Markdown files as HTML. HTML in them is escaped.
import { Marked } from 'marked';
import { escape } from './layout.ts';

interface Heading {
  id: string;
  depth: number;
  html: string;
}

interface Rendered {
  html: string;
  headings: Heading[];
}

/**
 * `targetOf` maps the target of a link; null removes the link and keeps its text. The first heading of depth 1 is
 * omitted.
 */
export function renderMarkdown(text: string, targetOf: (href: string) => string | null): Rendered {
  const headings: Heading[] = [];
  const marked = new Marked({
    renderer: {
      html: ({ text: raw }) => escape(raw),
      image: ({ text: alternative }) => escape(alternative),
      code: ({ text: code, lang }) => codeBlock(code, lang ?? ''),
      heading({ tokens, depth, text: title }) {
        if (depth === 1) return '';
        const heading = { id: anchorOf(title, headings), depth, html: this.parser.parseInline(tokens) };
        headings.push(heading);
        const { id, html } = heading;
        return `<h${depth} id="${id}">${html} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
      },
      link({ href, tokens }) {
        const target = targetOf(href);
        const html = this.parser.parseInline(tokens);
        return target === null ? html : `<a href="${escape(target)}">${html}</a>`;
      },
    },
  });
  const html = marked
    .parse(text, { async: false })
    // Wide tables scroll separately from the page.
    .replaceAll('<table>', '<div class="table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return { html, headings };
}

/** Anchors as on GitHub, so that links work in both places. */
function anchorOf(title: string, before: readonly Heading[]): string {
  const slug = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
  const same = before.filter(({ id }) => id === slug || new RegExp(`^${slug}-\\d+$`).test(id)).length;
  return same === 0 ? slug : `${slug}-${same}`;
}

const LANGUAGES: Record<string, string> = {
  sh: 'Shell',
  ts: 'TypeScript',
  python: 'Python',
  php: 'PHP',
  json: 'JSON',
  http: 'HTTP',
};

/** The info string: a language, and instructions for test/channel-docs.test.ts. */
function codeBlock(code: string, info: string): string {
  const [language = '', ...words] = info.split(/\s+/);
  const isAnswer = words.includes('answer') || words.includes('output');
  const name = isAnswer ? (words.includes('answer') ? 'Answer' : 'Output') : LANGUAGES[language];
  const caption = name === undefined ? '' : `<figcaption>${name}</figcaption>`;
  return `<figure${isAnswer ? ' class="answer"' : ''}>${caption}<pre tabindex="0"><code>${escape(code)}</code></pre></figure>\n`;
}
