// The two OpenAPI documents of a running service: the operations and their documented answers.
import { Ajv2020 } from 'ajv/dist/2020.js';
import type {
  ResponseObject as Documented,
  OpenApiDocument,
  Parameter,
  Schema,
} from '../../../src/platform/docs/document.ts';
import { FORMATS } from '../../../src/platform/schema/building-blocks.ts';
import { closed, validators } from '../../kit/document-schema.ts';

export interface ApiOperation {
  /** Such as `post /api/v1/orders`. */
  name: string;
  api: 'channel' | 'admin';
  method: string;
  /** Such as `/api/v1/inventory/{sku}`. */
  path: string;
  parameters: Parameter[];
  /** References inlined. */
  body: Schema | null;
  isOpen: boolean;
  /** A description of the fault of an answer, or null. */
  faultOf(status: number, contentType: string, body: Buffer): string | null;
}

const ajv = new Ajv2020({ strict: false, formats: FORMATS });
const validatorOf = validators(ajv);

export async function readOperations(origin: string): Promise<ApiOperation[]> {
  const operations: ApiOperation[] = [];
  for (const [api, prefix] of [
    ['channel', '/api/v1'],
    ['admin', '/admin/v1'],
  ] as const) {
    const document = (await (await fetch(`${origin}${prefix}/openapi.json`)).json()) as OpenApiDocument;
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { parameters = [], requestBody, responses, security = [] }] of Object.entries(
        methods,
      )) {
        const schema = requestBody?.content['application/json'].schema;
        operations.push({
          name: `${method} ${prefix}${path}`,
          api,
          method: method.toUpperCase(),
          path: prefix + path,
          parameters,
          body: schema === undefined ? null : (closed(document, schema) as Schema),
          isOpen: security.length === 0,
          faultOf: answerCheck(document, responses),
        });
      }
    }
  }
  // The router prefers fixed segments too: /orders/export is not an order.
  return operations.toSorted((one, other) => parametersOf(one) - parametersOf(other));
}

const parametersOf = ({ path }: ApiOperation): number => path.split('{').length;

function answerCheck(
  document: OpenApiDocument,
  responses: Record<string, Documented>,
): ApiOperation['faultOf'] {
  const byStatus = new Map(
    Object.entries(responses).map(([status, { content = {} }]) => {
      const { 'application/json': json, ...files } = content;
      const validate = json?.schema === undefined ? null : validatorOf(document, json.schema);
      return [Number(status), { validate, files: Object.keys(files) }];
    }),
  );
  return (status, contentType, body) => {
    const documented = byStatus.get(status);
    if (!documented) return `status ${status} is not documented`;
    const { validate, files } = documented;
    const [type = ''] = contentType.split(';', 1);
    if (files.length > 0) return files.includes(type) ? null : `the content type is "${contentType}"`;
    if (!validate) return body.length === 0 ? null : 'there is a body, but none is documented';
    if (!isJson(contentType)) return `the content type is "${contentType}"`;
    const value = parsedBody(body);
    if (value === undefined) return 'the body is not JSON';
    return validate(value) ? null : `the body is not as documented: ${ajv.errorsText(validate.errors)}`;
  };
}

export const isJson = (contentType: string): boolean => /^application\/json\b/.test(contentType);

/** The service accepts a byte order mark before a body. */
export function parsedBody(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString().replace(/^\u{feff}/u, '')) as unknown;
  } catch {
    return undefined;
  }
}

/** `clean`: written exactly as documented, so that the operation is unambiguous. */
export function findOperation(
  operations: readonly ApiOperation[],
  method: string,
  target: string,
): { operation: ApiOperation; clean: boolean } | null {
  const [path = ''] = target.split(/[?#]/);
  const asked = path.split('/');
  const wanted = method === 'HEAD' ? 'GET' : method;
  for (const operation of operations) {
    if (operation.method !== wanted) continue;
    const template = operation.path.split('/');
    if (template.length !== asked.length) continue;
    const fits = template.every(
      (part, index) => part.startsWith('{') || part === decoded(asked[index] ?? ''),
    );
    // A path that also matches a template with a fixed segment belongs to that one: /orders/bulk-status is not an order.
    const clean = template.every((part, index) =>
      part.startsWith('{') ? /^[\w.-]+$/.test(asked[index] ?? '') : part === asked[index],
    );
    if (fits) return { operation, clean };
  }
  return null;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
