// The console's files as built by Vite: loaded at the start and sent with security headers.
import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
};

/** Precompressed files, the smaller encoding first. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
type Encoding = (typeof ENCODINGS)[number][0];

interface File {
  type: string;
  body: Buffer;
  hash: string;
  compressed: Partial<Record<Encoding, Buffer>>;
}

const INDEX = 'index.html';
/** Their names contain a content hash. */
const ASSETS = 'assets/';
const NONCE_PLACE = '__CSP_NONCE__';

/** Mantine writes style elements, which get the nonce, and style attributes. Everything else is from our own files. */
const policyOf = (nonce: string): string =>
  `default-src 'none'; script-src 'self'; style-src-elem 'self' 'nonce-${nonce}'; ` +
  `style-src-attr 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; ` +
  `form-action 'none'; base-uri 'none'; frame-ancestors 'none'`;

const PAGE_HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
};

export async function registerConsole(app: FastifyInstance, directory: string): Promise<void> {
  const files = await readFiles(directory);
  const index = files.get(INDEX);
  const hidden = { schema: { hide: true } };
  for (const url of ['/', '/console'])
    app.get(url, hidden, async (request, reply) =>
      // The router maps `GET *` to the root.
      request.raw.url === '*' ? sendNotFound(reply) : reply.redirect('/console/', 302),
    );
  app.get<{ Params: { '*': string } }>('/console/*', hidden, async (request, reply) => {
    if (!index) return sendMissing(reply);
    const path = request.params['*'];
    const file = path === INDEX ? undefined : files.get(path);
    if (file) return sendFile(request, reply, path, file);
    if (isFilePath(path)) return sendNotFound(reply);
    return sendIndex(request, reply, index);
  });
}

const sendNotFound = (reply: FastifyReply): FastifyReply =>
  reply.code(404).send({ error: 'There is nothing at this path.' });

/** Other paths are routes of the console: /console/stock/P-1.00 contains a dot and is not a file. */
const isFilePath = (path: string): boolean =>
  path.startsWith(ASSETS) || (path !== INDEX && extname(path).toLowerCase() in TYPES);

/** Empty if the console was not built. */
async function readFiles(directory: string): Promise<Map<string, File>> {
  const files = new Map<string, File>();
  const names = await readdir(directory, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return [] as string[];
    throw error;
  });
  for (const name of names) {
    const type = TYPES[extname(name)];
    if (type === undefined) continue; // a directory, or a compressed variant, read with its file
    const body = await readFile(join(directory, name));
    const compressed: File['compressed'] = {};
    for (const [encoding, suffix] of ENCODINGS) {
      const variant = name + suffix;
      if (names.includes(variant)) compressed[encoding] = await readFile(join(directory, variant));
    }
    const hash = createHash('sha256').update(body).digest('base64url');
    files.set(name.split(sep).join('/'), { type, body, hash, compressed });
  }
  return files;
}

function sendFile(request: FastifyRequest, reply: FastifyReply, path: string, file: File): FastifyReply {
  const accepted = acceptedEncodings(request.headers['accept-encoding']);
  const encoding = ENCODINGS.map(([name]) => name).find((name) => file.compressed[name] && accepted(name));
  const etag = `"${file.hash}${encoding === undefined ? '' : `-${encoding}`}"`;
  const forever = path.startsWith(ASSETS);
  reply
    .header('cache-control', forever ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('etag', etag);
  if (Object.keys(file.compressed).length > 0) reply.header('vary', 'accept-encoding');
  if (knows(request, etag)) return reply.code(304).send();
  if (encoding !== undefined) reply.header('content-encoding', encoding);
  return reply.header('content-type', file.type).send((encoding && file.compressed[encoding]) ?? file.body);
}

/** A new nonce for every response with the page. */
function sendIndex(request: FastifyRequest, reply: FastifyReply, index: File): FastifyReply {
  const etag = `"${createHash('sha256').update(index.hash).update(policyOf('')).digest('base64url')}"`;
  reply.header('cache-control', 'no-cache').header('etag', etag);
  // Without a policy: the cached page needs the nonce that it was sent with.
  if (knows(request, etag)) return reply.removeHeader('content-security-policy').code(304).send();
  const nonce = randomBytes(16).toString('base64');
  return reply
    .headers(PAGE_HEADERS)
    .header('content-security-policy', policyOf(nonce))
    .send(index.body.toString('utf8').replaceAll(NONCE_PLACE, nonce));
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

/** q=0 refuses an encoding, by its name or by `*`; the name takes precedence. */
function acceptedEncodings(header: string | string[] | undefined): (name: string) => boolean {
  const wanted = new Map<string, boolean>();
  for (const part of [header ?? ''].flat().join(',').toLowerCase().split(',')) {
    const [name = '', ...parameters] = part.split(';').map((text) => text.trim());
    wanted.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  return (name) => wanted.get(name) ?? wanted.get('*') ?? false;
}
