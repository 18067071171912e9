// The settings of traces: the standard variables of OpenTelemetry, as far as they are supported.
import type { Variables } from './variables.ts';

/** How requests are chosen for tracing. `ratio` applies if the sender of a request has not decided. */
export interface Sampling {
  /** If the request has a `traceparent`, it decides. */
  readonly by_parent: boolean;
  /** Share of the traces, from 0 to 1. */
  readonly ratio: number;
}

export interface TracingConfig {
  /** The URL that spans are sent to, including `/v1/traces`. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Timeout of one request to the receiver. */
  readonly timeout_ms: number;
  readonly resource: Readonly<Record<string, string>>;
  readonly sampling: Sampling;
}

const TIMEOUT_MS_DEFAULT = 10_000;
const TIMEOUT_RANGE = { min: 1, max: 60_000, unit: 'milliseconds' } as const;
const PROTOCOL = 'http/json';

const SAMPLERS: Readonly<Record<string, { by_parent: boolean; ratio: number | null }>> = {
  always_on: { by_parent: false, ratio: 1 },
  always_off: { by_parent: false, ratio: 0 },
  traceidratio: { by_parent: false, ratio: null },
  parentbased_always_on: { by_parent: true, ratio: 1 },
  parentbased_always_off: { by_parent: true, ratio: 0 },
  parentbased_traceidratio: { by_parent: true, ratio: null },
};

/** null: no receiver is set, traces are switched off, or a variable is wrong. */
export function readTracing(variables: Variables): TracingConfig | null {
  const { text, wholeNumber } = variables;
  if (!isWanted(variables)) return null;
  const url = readUrl(variables);
  checkProtocol(variables);
  const headers = readHeaders(variables);
  const attributes = readAttributes(variables);
  const timeout_ms = wholeNumber('OTEL_EXPORTER_OTLP_TIMEOUT', TIMEOUT_RANGE, TIMEOUT_MS_DEFAULT);
  const sampling = readSampling(variables);
  if (url === null || headers === null || attributes === null) return null;
  const service = text('OTEL_SERVICE_NAME') ?? attributes['service.name'] ?? 'sluice';
  return Object.freeze({
    url,
    headers,
    timeout_ms,
    resource: { ...attributes, 'service.name': service },
    sampling,
  });
}

const OWN_ENDPOINT = 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT';
const BASE_ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';

const isWanted = ({ text }: Variables): boolean =>
  (text(OWN_ENDPOINT) !== null || text(BASE_ENDPOINT) !== null) &&
  text('OTEL_SDK_DISABLED')?.toLowerCase() !== 'true' &&
  text('OTEL_TRACES_EXPORTER') !== 'none';

function readUrl({ text, check }: Variables): string | null {
  const own = text(OWN_ENDPOINT);
  const url = own === null ? tracesUrl(text(BASE_ENDPOINT) ?? '') : httpUrl(own);
  check(
    url !== null,
    `${own === null ? BASE_ENDPOINT : OWN_ENDPOINT} must be an http or https URL without a password, such as http://127.0.0.1:4318.`,
  );
  return url;
}

function checkProtocol({ text, check }: Variables): void {
  const protocol = text('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') ?? text('OTEL_EXPORTER_OTLP_PROTOCOL');
  check(
    protocol === null || protocol === PROTOCOL,
    `OTEL_EXPORTER_OTLP_PROTOCOL must be "${PROTOCOL}", the only one that Sluice speaks, not "${protocol}".`,
  );
}

type Pairs = Record<string, string>;

/** Errors do not repeat the value, because headers contain credentials. */
function readHeaders({ text, check }: Variables): Pairs | null {
  const headers = pairsOf(text('OTEL_EXPORTER_OTLP_HEADERS') ?? '');
  check(
    headers !== null && Object.entries(headers).every(isHeader),
    'OTEL_EXPORTER_OTLP_HEADERS must be names and values such as "api-key=abc,x-tenant=shop", percent-encoded.',
  );
  return headers;
}

function readAttributes({ text, check }: Variables): Pairs | null {
  const attributes = pairsOf(text('OTEL_RESOURCE_ATTRIBUTES') ?? '');
  check(
    attributes !== null,
    'OTEL_RESOURCE_ATTRIBUTES must be names and values such as "deployment.environment.name=test", percent-encoded.',
  );
  return attributes;
}

/** A ratio without a sampler selects the sampler that uses it. OpenTelemetry would ignore the ratio. */
function readSampling({ text, check }: Variables): Sampling {
  const ratioText = text('OTEL_TRACES_SAMPLER_ARG');
  const name =
    text('OTEL_TRACES_SAMPLER') ??
    (ratioText === null ? 'parentbased_always_on' : 'parentbased_traceidratio');
  const sampler = Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name] : undefined;
  check(
    sampler !== undefined,
    `OTEL_TRACES_SAMPLER must be one of ${Object.keys(SAMPLERS).join(', ')}, not "${name}".`,
  );
  const ratio = ratioText === null ? 1 : Number(ratioText);
  check(
    ratio >= 0 && ratio <= 1,
    `OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "${ratioText}".`,
  );
  return Object.freeze({ by_parent: sampler?.by_parent ?? true, ratio: sampler?.ratio ?? ratio });
}

function httpUrl(text: string): string | null {
  const url = URL.parse(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  return url.username === '' && url.password === '' ? url.href : null;
}

/** Adds the path of traces to the path of the base URL. */
function tracesUrl(base: string): string | null {
  const href = httpUrl(base);
  if (href === null) return null;
  const url = new URL(href);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

/** Parses a=1,b=2 with percent-encoded values (W3C baggage); null: wrong syntax. */
function pairsOf(text: string): Pairs | null {
  const pairs: [string, string][] = [];
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(part) ?? [];
    if (name === '') return null;
    try {
      pairs.push([name, decodeURIComponent(value)]);
    } catch {
      return null;
    }
  }
  return Object.fromEntries(pairs);
}

const isHeader = ([name, value]: [string, string]): boolean =>
  /^[\w!#$%&'*+.^`|~-]+$/.test(name) && /^[\t\u0020-\u007e\u0080-\u00ff]*$/.test(value);
