// Environment → frozen Config. All errors are reported together, before anything starts.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { withFiles } from './files.ts';
import { readLimits, type Limits } from './limits.ts';
import { readMail, type Mail } from './mail.ts';
import { readOidc, type OidcConfig } from './oidc.ts';
import { readSecrets, type Secrets } from './secrets.ts';
import { readTimeouts, type Timeouts } from './timeouts.ts';
import { readTracing, type TracingConfig } from './tracing.ts';
import { variablesOf, type Variables } from './variables.ts';
import { LOOPBACK, parseProxies, type TrustedProxies } from '../values/client-address.ts';
import { PASSWORD_COST_LOG2 } from '../passwords/strength-rules.ts';
import { isTimeZone } from '../values/timestamps.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];
const LOG_LEVEL_DEFAULT: LogLevel = 'info';

export { secretFileFault } from './secrets.ts';
export { unknownVariables, VARIABLES } from './names.ts';

export interface Config extends Secrets {
  readonly host: string;
  readonly port: number;
  /** Processes that serve the port */
  readonly workers: number;
  /** The operator has not set the number of workers, so it is reduced to fit the connections of the database */
  readonly workers_auto: boolean;
  /** A second listener for probes and metrics; null: none */
  readonly internal_port: number | null;
  /** null: the embedded server in `data_dir` */
  readonly database_url: string | null;
  /** The role that owns the schema, for `sluice migrate`; null: the role of `database_url` */
  readonly database_migration_url: string | null;
  readonly data_dir: string;
  readonly timezone: string;
  readonly allow_private_channel_urls: boolean;
  /** The origin that browsers use behind a proxy; null: the Host of the request */
  readonly public_url: string | null;
  /** Proxies whose X-Forwarded-For is trusted */
  readonly trusted_proxies: TrustedProxies;
  /** Directory of the built console */
  readonly console_dir: string;
  readonly log_level: LogLevel;
  readonly log_time: LogTime;
  /** Channel requests that take at least this long are logged */
  readonly slow_request_ms: number;
  /** Whether this process runs background jobs */
  readonly jobs: boolean;
  /** How alerts are mailed; null: they are not */
  readonly mail: Mail | null;
  readonly timeouts: Timeouts;
  /** How long a stopping process keeps serving after /readyz returns 503; null: automatic */
  readonly drain_ms: number | null;
  /** Not set by a variable: only tests, which build the service themselves, use a lower cost */
  readonly password_cost_log2: number;
  readonly limits: Limits;
  /** null: users sign in with passwords only */
  readonly oidc: OidcConfig | null;
  /** null: nothing is traced */
  readonly tracing: TracingConfig | null;
}

export class ConfigError extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    const list = faults.length === 1 ? ` ${faults[0]}` : faults.map((fault) => `\n  - ${fault}`).join('');
    super(`The configuration is wrong:${list}`);
    this.name = 'ConfigError';
    this.faults = faults;
  }
}

const SLOW_REQUEST_MS = { min: 0, max: 3_600_000, unit: 'milliseconds' } as const;
const SLOW_REQUEST_MS_DEFAULT = 1_000;

interface ReadOptions {
  cores?: number;
  /** The service does not start without its secret file. Commands report a missing file when they need it. */
  needsSecretFile?: boolean;
}

export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  projectDir: string,
  { cores = availableParallelism(), needsSecretFile = false }: ReadOptions = {},
): Config {
  const faults: string[] = [];
  const fault = (text: string): void => void faults.push(text);
  const variables = variablesOf(withFiles(env, projectDir, fault), fault);
  const { text, flag } = variables;
  // Faults are reported in the order in which the variables are read.
  const config = {
    host: text('HOST') ?? '127.0.0.1',
    ...readPorts(variables),
    ...readWorkers(variables, cores),
    ...readDatabase(variables),
    data_dir: resolve(projectDir, text('SLUICE_DATA_DIR') ?? '.data'),
    ...readSecrets(variables, projectDir, needsSecretFile),
    timezone: readTimezone(variables),
    allow_private_channel_urls: flag('SLUICE_ALLOW_PRIVATE_CHANNEL_URLS', false),
    jobs: flag('SLUICE_JOBS', true),
    mail: readMail(variables),
    public_url: readPublicUrl(variables),
    trusted_proxies: readProxies(variables),
    console_dir: resolve(projectDir, 'console', 'dist'),
    log_level: readLogLevel(variables),
    log_time: readLogTime(variables),
    slow_request_ms: variables.wholeNumber(
      'SLUICE_SLOW_REQUEST_MS',
      SLOW_REQUEST_MS,
      SLOW_REQUEST_MS_DEFAULT,
    ),
    timeouts: readTimeouts(variables),
    limits: readLimits(variables),
    drain_ms: readDrain(variables),
    password_cost_log2: PASSWORD_COST_LOG2,
  };
  const oidc = readOidc(variables, config.public_url);
  const tracing = readTracing(variables);
  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze({ ...config, oidc, tracing });
}

const PORT = { min: 0, max: 65_535 };

function readPorts({ text, check, wholeNumber }: Variables): Pick<Config, 'port' | 'internal_port'> {
  const port = wholeNumber('PORT', PORT, 8_080);
  const internal_port =
    text('SLUICE_INTERNAL_PORT') === null ? null : wholeNumber('SLUICE_INTERNAL_PORT', PORT, 0);
  check(
    internal_port === null || internal_port === 0 || internal_port !== port,
    'SLUICE_INTERNAL_PORT must differ from PORT.',
  );
  return { port, internal_port };
}

const WORKERS_MAX = 64;
/**
 * Each worker has its own gate, and gates wait for each other's rows: on 16 cores eight workers sold a hot SKU at 0.36 of
 * the rate of one process (ADR 0030).
 */
const WORKERS_AUTO_MAX = 2;

/** The remaining cores are for PostgreSQL. */
const workersFor = (cores: number): number =>
  cores <= 2 ? 1 : Math.min(WORKERS_AUTO_MAX, Math.floor(cores / 2));

function readWorkers({ text, check }: Variables, cores: number): Pick<Config, 'workers' | 'workers_auto'> {
  const given = text('SLUICE_WORKERS') ?? 'auto';
  const workers_auto = given === 'auto';
  const workers = workers_auto ? workersFor(cores) : Number(given);
  check(
    workers_auto || (/^\d+$/.test(given) && workers >= 1 && workers <= WORKERS_MAX),
    `SLUICE_WORKERS must be "auto" or a whole number from 1 to ${WORKERS_MAX}, not "${given}".`,
  );
  return { workers, workers_auto };
}

const ENCODE =
  'must be percent-encoded: in a user name or password write / as %2F, # as %23, ? as %3F and % as %25.';

/**
 * Such a character in a password ends the part of the address that contains it, so that the rest of the password would
 * be taken for host, port or database, and written to the log as such. The fault must not show any part of the address.
 */
function isEncoded(url: string): boolean {
  const [, authority = '', rest = ''] = /^\w+:\/\/([^/?#]*)(.*)$/s.exec(url) ?? [];
  const credentials = authority.slice(0, Math.max(0, authority.lastIndexOf('@')));
  const [path = '', query = ''] = rest.split('?', 2);
  const isCut = rest.includes('#') || path.includes('@') || (credentials === '' && query.includes('@'));
  return !isCut && !/%(?![\da-f]{2})/i.test(credentials);
}

function readDatabase({ text, check }: Variables) {
  const urls = {
    database_url: text('DATABASE_URL'),
    database_migration_url: text('DATABASE_MIGRATION_URL'),
  };
  for (const [key, url] of Object.entries(urls)) {
    const name = key.toUpperCase();
    check(url === null || isEncoded(url), `${name} ${ENCODE}`);
    check(
      url === null || !isEncoded(url) || (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)),
      `${name} must be a valid address that starts with postgres:// or postgresql://.`,
    );
  }
  check(
    urls.database_migration_url === null || urls.database_url !== null,
    'DATABASE_MIGRATION_URL must be set together with DATABASE_URL, whose role gets the rights.',
  );
  return urls;
}

function readTimezone({ text, check }: Variables): string {
  const timezone = text('SLUICE_TIMEZONE') ?? 'Asia/Seoul';
  check(
    isTimeZone(timezone),
    `SLUICE_TIMEZONE must be a time zone such as Asia/Seoul or UTC, not "${timezone}".`,
  );
  return timezone;
}

function readPublicUrl({ text, check }: Variables): string | null {
  const url = text('SLUICE_PUBLIC_URL');
  const origin = url === null ? null : originOf(url);
  check(
    url === null || origin !== null,
    'SLUICE_PUBLIC_URL must be the address of the service alone, such as https://sluice.example.com.',
  );
  return origin;
}

/** null: not an http(s) URL, or more than scheme, host and port. */
function originOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  return url.href === `${url.origin}/` ? url.origin : null;
}

function readProxies({ text, check }: Variables): TrustedProxies {
  const given = text('SLUICE_TRUSTED_PROXIES') ?? LOOPBACK;
  const proxies = parseProxies(given);
  check(
    proxies !== null,
    `SLUICE_TRUSTED_PROXIES must be addresses or ranges such as "127.0.0.1, 10.0.0.0/8", or "none", not "${given}".`,
  );
  return proxies ?? [];
}

function readLogLevel({ text, check }: Variables): LogLevel {
  const given = text('LOG_LEVEL') ?? LOG_LEVEL_DEFAULT;
  const level = LOG_LEVELS.find((one) => one === given);
  check(level !== undefined, `LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${given}".`);
  return level ?? LOG_LEVEL_DEFAULT;
}

/** ISO 8601, or milliseconds since 1970. */
const LOG_TIMES = ['iso', 'epoch'] as const;
type LogTime = (typeof LOG_TIMES)[number];

function readLogTime({ text, check }: Variables): LogTime {
  const given = text('SLUICE_LOG_TIME') ?? 'iso';
  const time = LOG_TIMES.find((one) => one === given);
  check(time !== undefined, `SLUICE_LOG_TIME must be iso or epoch, not "${given}".`);
  return time ?? 'iso';
}

const DRAIN_MS = { min: 0, max: 600_000, unit: 'milliseconds' } as const;

const readDrain = ({ text, wholeNumber }: Variables): number | null =>
  text('SLUICE_DRAIN_MS') === null ? null : wholeNumber('SLUICE_DRAIN_MS', DRAIN_MS, 0);
