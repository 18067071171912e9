// The types of an OpenAPI document, as far as our documents use them.

/** The part of JSON Schema 2020-12 that our schemas use. */
export interface Schema {
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  format?: string;
  pattern?: string;
  enum?: unknown[];
  examples?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  anyOf?: Schema[];
  additionalProperties?: Schema | boolean;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
  example?: string | number;
}

interface Media {
  'application/json': { schema: Schema; example?: unknown; examples?: Record<string, { value: object }> };
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, { $ref: string }>;
  /** JSON, or a file to download. */
  content?: Partial<Media> & { 'text/csv'?: { schema: Schema } };
}

export interface Operation {
  operationId: string;
  summary?: string;
  description?: string;
  deprecated?: boolean;
  tags?: string[];
  security?: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Media };
  responses: Record<string, ResponseObject>;
}

type SecurityScheme = { description?: string } & (
  | { type: 'apiKey'; name: string; in: 'header' | 'cookie' }
  | { type: 'http'; scheme: string }
);

/** Of one operation. */
export interface OperationExamples {
  /** Path and query parameters by name. */
  parameters?: Record<string, string | number>;
  request?: object;
  /** By status, then by name. */
  answers: Record<string, Record<string, object>>;
}

/** What a document says besides its routes. */
export interface DocumentTexts {
  prefix: string;
  schemes: Record<string, SecurityScheme>;
  title: string;
  server: string;
  description: string;
  /** Headers of every answer. */
  headers: Record<string, object>;
  /** Headers of every refusal. */
  refusals: Record<string, object>;
  /** Of every operation. */
  parameters: readonly Parameter[];
  /** Operations whose answers have an ETag, such as `get /inventory`. */
  tagged: readonly string[];
  examples: (operation: string) => OperationExamples | null;
  /** Descriptions of tags. */
  tags: Record<string, string>;
}

export interface OpenApiDocument {
  openapi: string;
  info: {
    title: string;
    version: string;
    description: string;
    contact?: { name: string; url?: string };
    license?: { name: string; url: string };
  };
  servers: { url: string; description: string }[];
  tags: { name: string; description?: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, SecurityScheme>;
    headers: Record<string, object>;
    schemas: Record<string, Schema>;
  };
}
