// Layout of all pages under /docs: server-rendered, without scripts or external resources.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsGzip } from '../http/accepts-gzip.ts';
import { DOCS_STYLE } from './style.ts';

const styleHash = createHash('sha256').update(DOCS_STYLE).digest('base64');
const DOCS_POLICY =
  `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; form-action 'none'; ` +
  `frame-ancestors 'none'`;

/** Compressed once, when it is made. */
export interface Ready {
  plain: Buffer;
  gzip: Buffer;
}

export function readyOf(text: string): Ready {
  const plain = Buffer.from(text);
  return { plain, gzip: gzipSync(plain) };
}

export function sendReady(
  request: FastifyRequest,
  reply: FastifyReply,
  { plain, gzip }: Ready,
): FastifyReply {
  reply.header('vary', 'accept-encoding');
  if (!acceptsGzip(request.headers['accept-encoding'])) return reply.send(plain);
  return reply.header('content-encoding', 'gzip').send(gzip);
}

export const sendPage = (request: FastifyRequest, reply: FastifyReply, page: Ready): FastifyReply =>
  sendReady(
    request,
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', DOCS_POLICY)
      .header('referrer-policy', 'no-referrer'),
    page,
  );

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

export const pageOf = ({ title, header, contents, main }: Page): Ready =>
  readyOf(`<!doctype html>
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
`);
