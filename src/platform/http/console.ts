// The console's files, built by Vite. `@fastify/static` sends them; the page itself gets a nonce for each request.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const INDEX = 'index.html';
/** The names of these files contain a hash of their content. */
const ASSETS = 'assets/';
const NONCE_PLACE = '__CSP_NONCE__';

/** Other paths are routes of the console: /console/stock/P-1.00 contains a dot and is not a file. */
const FILE_EXTENSION = /\.(?:css|html|ico|jpg|js|json|map|png|svg|txt|webmanifest|webp|woff2?)$/i;
/** No dot files, no `..`, no empty segments. */
const PLAIN_PATH = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*$/;

/** Mantine writes style elements, which get the nonce, and style attributes. Everything else is from our own files. */
const policyOf = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src-elem 'self' 'nonce-${nonce}'; ` +
  `style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; ` +
  `form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;

/** Sent with every file, because an image opened by its URL is a page, too. */
const OPENER_POLICY = { 'cross-origin-opener-policy': 'same-origin' };

const PAGE_HEADERS = {
  ...OPENER_POLICY,
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

export async function registerConsole(app: FastifyInstance, directory: string): Promise<void> {
  const index = join(directory, INDEX);
  const isBuilt = existsSync(index);
  const assets = join(directory, ASSETS);
  await app.register(fastifyStatic, {
    root: directory,
    serve: false,
    suppressWarning: true,
    preCompressed: true,
    acceptRanges: false,
    lastModified: false,
    cacheControl: false,
    setHeaders: (reply, path) => {
      const isHashed = path.startsWith(assets);
      reply.headers(OPENER_POLICY);
      reply.header('cache-control', isHashed ? 'public, max-age=31536000, immutable' : 'no-cache');
    },
  });
  const hidden = { schema: { hide: true } };
  for (const url of ['/', '/console'])
    app.get(url, hidden, async (request, reply) =>
      // The router maps `GET *` to the root.
      request.raw.url === '*' ? sendNotFound(reply) : reply.redirect('/console/', 302),
    );
  app.get<{ Params: { '*': string } }>('/console/*', hidden, async (request, reply) => {
    if (!isBuilt) return sendMissing(reply);
    const path = request.params['*'];
    const isFile = path !== INDEX && FILE_EXTENSION.test(path);
    if (isFile && PLAIN_PATH.test(path)) return reply.sendFile(path);
    if (isFile || path.startsWith(ASSETS)) return sendNotFound(reply);
    return sendIndex(request, reply, await readFile(index, 'utf8'));
  });
}

const sendNotFound = (reply: FastifyReply): FastifyReply =>
  reply.code(404).send({ error: 'There is nothing at this path.' });

/** A new nonce for every response with the page. */
function sendIndex(request: FastifyRequest, reply: FastifyReply, page: string): FastifyReply {
  const etag = `"${createHash('sha256').update(page).update(policyOf('')).digest('base64url')}"`;
  reply.header('cache-control', 'no-cache').header('etag', etag);
  // Send no policy with 304: the cached page needs its own policy, with the nonce in the page.
  if (knows(request, etag)) return reply.removeHeader('content-security-policy').code(304).send();
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers(PAGE_HEADERS)
    .header('content-security-policy', policyOf(nonce))
    .send(page.replaceAll(NONCE_PLACE, nonce));
}

const MISSING_PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Sluice console</title></head>
<body>
<h1>The console has not been built</h1>
<p>Run <code>npm run console:build</code> in the project, then start the service again.
Everything else works: see <a href="/docs">the API</a>.</p>
</body>
</html>
`;

const sendMissing = (reply: FastifyReply): FastifyReply =>
  reply
    .code(503)
    .headers(PAGE_HEADERS)
    .header('cache-control', 'no-store')
    .header('content-security-policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
    .send(MISSING_PAGE);

function knows({ headers }: FastifyRequest, etag: string): boolean {
  const tags = (headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes(etag) || tags.includes('*');
}
