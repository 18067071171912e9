// Generates a Postman collection (format 2.1) of the channel API from its OpenAPI document: folders by tag, examples as
// saved responses.
import type { OpenApiDocument, Operation, Parameter } from './document.ts';

const FORMAT = 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json';

interface Item {
  name: string;
  request: object;
  response: object[];
}

/** Signs requests if the variable `signingSecret` is set. Postman provides `CryptoJS` and `pm`. */
const SIGN = `const secret = pm.collectionVariables.get('signingSecret');
if (secret) {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const path = pm.variables.replaceIn(pm.request.url.getPathWithQuery());
  const body = pm.variables.replaceIn(pm.request.body?.raw ?? '');
  const text = [pm.request.method, path, timestamp, body].join('\\n');
  const signature = CryptoJS.HmacSHA256(text, secret).toString(CryptoJS.enc.Hex);
  pm.request.headers.upsert({ key: 'X-Sluice-Timestamp', value: timestamp });
  pm.request.headers.upsert({ key: 'X-Sluice-Signature', value: 'v1=' + signature });
}`;

/** `origin`: where the client fetched the collection, so that its requests go to the same service. */
export function postmanOf(document: OpenApiDocument, origin: string): object {
  const prefix = (document.servers[0]?.url ?? '').replace(/^https?:\/\/[^/]+/, '');
  const { title, version, description } = document.info;
  return {
    info: { name: title, version, description, schema: FORMAT },
    auth: {
      type: 'apikey',
      apikey: Object.entries({ key: 'X-Api-Key', value: '{{apiKey}}', in: 'header' }).map(([key, value]) => ({
        key,
        value,
        type: 'string',
      })),
    },
    variable: [
      { key: 'origin', value: origin },
      { key: 'apiKey', value: '' },
      { key: 'signingSecret', value: '' },
    ],
    event: [{ listen: 'prerequest', script: { type: 'text/javascript', exec: SIGN.split('\n') } }],
    item: document.tags.map(({ name }) => ({ name, item: itemsOf(document, name, prefix) })),
  };
}

const itemsOf = (document: OpenApiDocument, tag: string, prefix: string): Item[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.tags?.[0] === tag)
      .map(([method, operation]) => itemOf(method.toUpperCase(), prefix + path, operation)),
  );

function itemOf(method: string, path: string, operation: Operation): Item {
  const { summary = '', description, parameters = [], requestBody, responses } = operation;
  const example = requestBody?.content['application/json'].example;
  const request = {
    method,
    ...(description === undefined ? {} : { description }),
    header: example === undefined ? [] : [{ key: 'Content-Type', value: 'application/json' }],
    url: urlOf(path, parameters),
    ...(example === undefined
      ? {}
      : { body: { mode: 'raw', raw: json(example), options: { raw: { language: 'json' } } } }),
  };
  const response = Object.entries(responses).flatMap(([status, { content, description: meaning }]) =>
    Object.entries(content?.['application/json']?.examples ?? {}).map(([name, { value }]) => ({
      name: `${status} ${name}`,
      originalRequest: request,
      status: meaning,
      code: Number(status),
      header: [{ key: 'Content-Type', value: 'application/json; charset=utf-8' }],
      body: json(value),
    })),
  );
  return { name: summary, request, response };
}

function urlOf(path: string, parameters: readonly Parameter[]): object {
  const named = path.replaceAll(/\{(\w+)\}/g, ':$1');
  const of = (place: Parameter['in']) =>
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, description = '', example, required }) => ({
        key: name,
        value: String(example ?? ''),
        description,
        // Optional parameters are included, but disabled.
        ...(required === true ? {} : { disabled: true }),
      }));
  return {
    raw: `{{origin}}${named}`,
    host: ['{{origin}}'],
    path: named.split('/').slice(1),
    query: of('query'),
    variable: of('path'),
  };
}

const json = (value: unknown): string => JSON.stringify(value, null, 2);
