// Layout of all pages under /docs: server-rendered, without scripts or external resources.
import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { DOCS_STYLE } from './style.ts';

const styleHash = createHash('sha256').update(DOCS_STYLE).digest('base64');
const DOCS_POLICY =
  `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; ` +
  `frame-ancestors 'none'`;

export const sendPage = (reply: FastifyReply, html: string): FastifyReply =>
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', DOCS_POLICY)
    .header('referrer-policy', 'no-referrer')
    .send(html);

export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
export const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

interface Page {
  /** Plain text. */
  title: string;
  header: string;
  contents: string;
  main: string;
}

export const pageOf = ({ title, header, contents, main }: Page): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)}</title>
<style>${DOCS_STYLE}</style>
</head>
<body>
<header>${header}</header>
<nav aria-label="Contents">${contents}</nav>
<main>${main}</main>
</body>
</html>
`;
