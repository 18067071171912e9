// /docs and /docs/admin: the two OpenAPI documents as server-rendered pages, without scripts or external resources.
import type { FastifyInstance } from 'fastify';
import { alternatives, fieldsOf, notesOf, typeOf, type Field } from './fields.ts';
import { escape, once, pageOf, readyOf, sendPage, sendReady, type Ready } from './layout.ts';
import type { DocumentTexts, ResponseObject, OpenApiDocument, Operation, Parameter } from './document.ts';
import { ADMIN_DOCUMENT } from './document-texts.ts';
import { documentOf } from './openapi.ts';
import { postmanOf } from './postman.ts';
import { originOf, type OriginConfig } from '../http/origin.ts';

/** The descriptions contain no secrets and are public. Rendered once, at the first request. */
export function registerDocs(app: FastifyInstance, config: OriginConfig, texts: DocumentTexts): void {
  const { public_url } = config;
  const channel = once(() => documentOf(app, texts, public_url ?? ''));
  const admin = once(() => documentOf(app, ADMIN_DOCUMENT, public_url ?? ''));
  const pages = {
    '/docs': once(() => channelPage(channel())),
    '/docs/admin': once(() => adminPage(admin())),
  };
  const files = {
    '/api/v1/openapi.json': once(() => readyOf(JSON.stringify(channel()))),
    '/admin/v1/openapi.json': once(() => readyOf(JSON.stringify(admin()))),
  };
  const hidden = { schema: { hide: true } };

  for (const [url, page] of Object.entries(pages)) {
    app.get(url, hidden, (request, reply) => sendPage(request, reply, page()));
    app.get(`${url}/`, hidden, (_request, reply) => reply.redirect(url, 302));
  }
  for (const [url, file] of Object.entries(files)) {
    app.get(url, hidden, (request, reply) =>
      sendReady(request, reply.header('content-type', JSON_TYPE), file()),
    );
  }
  app.get('/api/v1/postman.json', hidden, (request, reply) =>
    reply.send(postmanOf(channel(), originOf(request, config))),
  );
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Descriptions mark code with backticks and use no other markup. */
const prose = (text: string): string => escape(text).replaceAll(/`([^`]+)`/g, '<code>$1</code>');

const channelPage = (document: OpenApiDocument): Ready =>
  pageOf({
    title: 'Sluice channel API',
    header: `<h1>Sluice channel API</h1>
<p>For web shops and marketplaces: read what you may sell, submit orders, report what became of them. The same as
<a href="/api/v1/openapi.json">OpenAPI 3.1</a> and as a <a href="/api/v1/postman.json">Postman collection</a>.</p>
<p>New here? <a href="/docs/channels">The guides for channel developers</a>: the first order in ten minutes, every
error, how to poll and how to retry. For the back office: <a href="/docs/admin">the admin API</a>.</p>`,
    contents: contents(document),
    main: chapter(document),
  });

const adminPage = (document: OpenApiDocument): Ready =>
  pageOf({
    title: 'Sluice admin API',
    header: `<p class="trail"><a href="/docs">Sluice channel API</a> / Admin API</p>
<h1>Sluice admin API</h1>
<p>For the back office: everything that the console can do, for your own programs. The same as
<a href="/admin/v1/openapi.json">OpenAPI 3.1</a>.</p>`,
    contents: contents(document),
    main: chapter(document),
  });

interface Entry {
  id: string;
  method: string;
  path: string;
  address: string;
  operation: Operation;
}

const baseOf = (document: OpenApiDocument): string => document.servers[0]?.url ?? '';
const chapterId = (document: OpenApiDocument): string => baseOf(document).split('/').at(-2) ?? 'api';

/** Grouped by tag, in the order of the tags. */
function entriesOf(document: OpenApiDocument): Entry[] {
  const place = ({ operation }: Entry): number =>
    document.tags.findIndex((tag) => tag.name === operation.tags?.[0]);
  const entries = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      id: `${chapterId(document)}-${operation.operationId}`,
      method,
      path,
      address: baseOf(document) + path,
      operation,
    })),
  );
  return entries.toSorted((a, b) => place(a) - place(b));
}

function contents(document: OpenApiDocument): string {
  const links = entriesOf(document).map(
    ({ id, method, path }) =>
      `<li><a href="#${id}"><span class="method ${method}">${method.toUpperCase()}</span><code>${escape(path)}</code></a></li>`,
  );
  return `<h2><a href="#${chapterId(document)}">${escape(document.info.title)}</a></h2><ul>${links.join('')}</ul>`;
}

function chapter(document: OpenApiDocument): string {
  const { title, version, description } = document.info;
  const schemes = Object.values(document.components.securitySchemes);
  const header =
    'apiKey' in document.components.securitySchemes
      ? 'X-Api-Key: &lt;key&gt;'
      : 'Authorization: Bearer &lt;token&gt;';
  return `<section id="${chapterId(document)}">
<h2>${escape(title)}</h2>
<p>${prose(description)}</p>
<p>Base address <code>${escape(baseOf(document))}</code>, version ${escape(version)}. Every request carries
<code>${header}</code>. ${schemes.map((scheme) => prose(scheme.description ?? '')).join(' ')}</p>
${entriesOf(document)
  .map((entry) => article(document, entry))
  .join('\n')}
</section>`;
}

function article(document: OpenApiDocument, entry: Entry): string {
  const { id, method, address, operation } = entry;
  const body = operation.requestBody?.content['application/json'].schema;
  return `<article id="${id}">
<h3><span class="method ${method}">${method.toUpperCase()}</span> <code>${escape(address)}</code></h3>
<p>${prose(operation.summary ?? '')}.${operation.description ? ` ${prose(operation.description)}` : ''}</p>
${operation.deprecated === true ? '<p><b>Deprecated.</b> The headers Deprecation and Sunset say since and until when.</p>' : ''}
${section('Parameters', (operation.parameters ?? []).map(parameterField))}
${body ? section('Request body', fieldsOf(document, body)) : ''}
${'apiKey' in document.components.securitySchemes ? `<h4>Example</h4>${curl(entry)}` : ''}
<h4>Answers</h4>
${Object.entries(operation.responses)
  .map(([status, answer]) => answerBlock(document, status, answer))
  .join('')}
</article>`;
}

const parameterField = ({ name, in: place, required, description, schema, example }: Parameter): Field => ({
  name,
  type: `${typeOf(schema)} in the ${place}`,
  required: required ?? false,
  notes: [
    ...(description === undefined ? [] : [description]),
    ...notesOf({ ...schema, ...(example === undefined ? {} : { examples: [example] }) }),
  ],
});

const section = (title: string, fields: readonly Field[]): string =>
  fields.length === 0 ? '' : `<h4>${title}</h4>${fieldList(fields, true)}`;

/** In responses "required" is not shown: nearly every field is always present. */
function fieldList(fields: readonly Field[], showRequired: boolean): string {
  const items = fields.map(({ name, type, required, notes }) => {
    const mark = required ? '<span class="required">required</span>' : '';
    const optional = required ? '' : '<span>optional</span>';
    const note = notes.length > 0 ? `<dd>${notes.map(prose).join(' ')}</dd>` : '';
    return `<div><dt><code>${escape(name)}</code><span>${escape(type)}</span>${showRequired ? mark : optional}</dt>${note}</div>`;
  });
  return `<dl>${items.join('')}</dl>`;
}

function answerBlock(document: OpenApiDocument, status: string, answer: ResponseObject): string {
  const schema = answer.content?.['application/json']?.schema;
  const shapes = schema ? alternatives(document, schema) : [];
  const lists = shapes.map((shape) => {
    const about = shape.description ? `<p>${prose(shape.description)}</p>` : '';
    return about + fieldList(fieldsOf(document, shape), false);
  });
  const open = status === '200' || status === '201' ? ' open' : '';
  return `<details${open}><summary><b>${status}</b>${prose(answer.description)}</summary>${lists.join('')}</details>`;
}

/** A curl command to paste; only host and key must be replaced. */
function curl({ method, address, operation }: Entry): string {
  const path = address.replaceAll(/\{(\w+)\}/g, (all, name: string) => {
    const found = operation.parameters?.find((parameter) => parameter.name === name);
    return typeof found?.example === 'string' ? found.example : all;
  });
  const example = operation.requestBody?.content['application/json'].example;
  const lines = [
    `curl${method === 'get' ? '' : ` -X ${method.toUpperCase()}`} "${path.startsWith('/') ? 'https://your-sluice' : ''}${path}"`,
    '-H "X-Api-Key: $SLUICE_KEY"',
    ...(example === undefined
      ? []
      : ['-H "Content-Type: application/json"', `-d '${JSON.stringify(example, null, 2)}'`]),
  ];
  return `<pre><code>${escape(lines.join(' \\\n  '))}</code></pre>`;
}
