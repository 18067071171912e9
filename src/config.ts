// Environment → frozen Config. All errors are reported together, before anything starts.
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { withFiles } from './config-files.ts';
import { readOidc, type OidcConfig } from './config-oidc.ts';
import { readTracing, type TracingConfig } from './config-tracing.ts';
import { LOOPBACK, parseProxies, type TrustedProxies } from './domain/client-address.ts';
import { PASSWORD_COST_LOG2 } from './domain/password-strength.ts';
import { isTimeZone } from './domain/timestamps.ts';
import { FIRST_EMAIL, passwordFault } from './passwords.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];
const LOG_LEVEL_DEFAULT: LogLevel = 'info';

/** Timeouts in milliseconds. */
export interface Timeouts {
  /** For the headers of a request, from its first byte or from the connection. */
  readonly headers_ms: number;
  /** For a whole request including its body. */
  readonly body_ms: number;
  /** For a connection without a request, or whose client does not read its response. */
  readonly idle_connection_ms: number;
  /** For a client that reads nothing of its stock list. */
  readonly send_ms: number;
  /** For a new connection to the database. */
  readonly connect_ms: number;
  /** For a statement of a channel request. */
  readonly statement_ms: number;
  /** For a statement of the back office. */
  readonly long_statement_ms: number;
  /** For a row lock that another transaction holds. */
  readonly lock_ms: number;
  /** For retries of an order or a report during a database outage or a conflict. */
  readonly retry_ms: number;
  /** idle_in_transaction_session_timeout: frees the rows of a hanging transaction. */
  readonly idle_transaction_ms: number;
}

/** Limits on what is held for clients, besides the queue of the gate. */
interface Limits {
  readonly connections: number;
  /** Per client address; trusted proxies excepted. */
  readonly connections_per_address: number;
  /** Bodies above 16 KiB, from their first byte until the response. */
  readonly large_bodies_mib: number;
  /** Stock lists that clients have not read yet. */
  readonly unsent_lists_mib: number;
  /** Wrong API keys and admin tokens per client address. */
  readonly wrong_credentials_per_minute: number;
}

interface Mail {
  /** smtp://user:password@host:port, or smtps:// */
  readonly smtp_url: string;
  readonly from: string;
  readonly to: readonly string[];
}

export interface Config {
  readonly host: string;
  readonly port: number;
  /** Processes that serve the port */
  readonly workers: number;
  /** The number was not chosen by the operator, and is lowered to what the database allows */
  readonly workers_auto: boolean;
  /** A second listener for probes and metrics; null: none */
  readonly internal_port: number | null;
  /** null: the embedded server in `data_dir` */
  readonly database_url: string | null;
  /** The role that owns the schema, for `sluice migrate`; null: the role of `database_url` */
  readonly database_migration_url: string | null;
  readonly data_dir: string;
  readonly admin_token: string | null;
  /** Of the first account, until its first sign-in; null: a random one */
  readonly first_password: string | null;
  /** null: read from `secret_file` */
  readonly secret: string | null;
  /** Set by the operator; null: generated in `data_dir`, only with the embedded server */
  readonly secret_file: string | null;
  /** Opens keys that were sealed before the secret was replaced; null: the file beside that of `secret`, or none */
  readonly previous_secret: string | null;
  readonly timezone: string;
  readonly allow_private_channel_urls: boolean;
  /** The origin that browsers use behind a proxy; null: the Host of the request */
  readonly public_url: string | null;
  /** Proxies whose X-Forwarded-For is trusted */
  readonly trusted_proxies: TrustedProxies;
  /** Directory of the built console */
  readonly console_dir: string;
  readonly log_level: LogLevel;
  /** A channel request that takes as long is logged */
  readonly slow_request_ms: number;
  /** Whether this process runs background jobs */
  readonly jobs: boolean;
  /** Where alerts are mailed to; null: nowhere */
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

const WORKERS_MAX = 64;
const WORKERS_AUTO_MAX = 8;

/** The rest of the cores is for PostgreSQL. */
const workersFor = (cores: number): number =>
  cores <= 2 ? 1 : Math.min(WORKERS_AUTO_MAX, Math.floor(cores / 2));

const ADMIN_TOKEN_CHARACTERS_MIN = 16;
const SECRET_CHARACTERS_MIN = 32;

const TIMEOUT_MS_MIN = 100;
const TIMEOUT_MS_MAX = 3_600_000;
const DRAIN_MS_MAX = 600_000;
const SLOW_REQUEST_MS = 1_000;
const SLOW_REQUEST_MS_MAX = 3_600_000;
const TIMEOUTS: Readonly<Record<keyof Timeouts, { variable: string; default_ms: number }>> = {
  headers_ms: { variable: 'SLUICE_HEADERS_TIMEOUT_MS', default_ms: 15_000 },
  body_ms: { variable: 'SLUICE_BODY_TIMEOUT_MS', default_ms: 30_000 },
  idle_connection_ms: { variable: 'SLUICE_IDLE_CONNECTION_TIMEOUT_MS', default_ms: 72_000 },
  send_ms: { variable: 'SLUICE_SEND_TIMEOUT_MS', default_ms: 30_000 },
  connect_ms: { variable: 'SLUICE_CONNECT_TIMEOUT_MS', default_ms: 5_000 },
  statement_ms: { variable: 'SLUICE_STATEMENT_TIMEOUT_MS', default_ms: 8_000 },
  long_statement_ms: { variable: 'SLUICE_LONG_STATEMENT_TIMEOUT_MS', default_ms: 30_000 },
  lock_ms: { variable: 'SLUICE_LOCK_TIMEOUT_MS', default_ms: 5_000 },
  retry_ms: { variable: 'SLUICE_RETRY_TIMEOUT_MS', default_ms: 8_000 },
  idle_transaction_ms: { variable: 'SLUICE_IDLE_TRANSACTION_TIMEOUT_MS', default_ms: 10_000 },
};

/** Default share of the connections for one address. */
const CONNECTIONS_SHARE_PER_ADDRESS = 1 / 4;
const CONNECTIONS_DEFAULT = 8_192;

const LIMITS: Readonly<
  Record<keyof Limits, { variable: string; default_count: number; min: number; max: number }>
> = {
  connections: {
    variable: 'SLUICE_CONNECTIONS_MAX',
    default_count: CONNECTIONS_DEFAULT,
    min: 16,
    max: 1_000_000,
  },
  connections_per_address: {
    variable: 'SLUICE_CONNECTIONS_PER_ADDRESS_MAX',
    default_count: CONNECTIONS_DEFAULT * CONNECTIONS_SHARE_PER_ADDRESS,
    min: 1,
    max: 1_000_000,
  },
  large_bodies_mib: { variable: 'SLUICE_LARGE_BODIES_MIB', default_count: 64, min: 16, max: 65_536 },
  unsent_lists_mib: { variable: 'SLUICE_UNSENT_LISTS_MIB', default_count: 256, min: 16, max: 65_536 },
  wrong_credentials_per_minute: {
    variable: 'SLUICE_WRONG_CREDENTIALS_PER_MINUTE_MAX',
    default_count: 100,
    min: 1,
    max: 1_000_000,
  },
};

export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  projectDir: string,
  cores = availableParallelism(),
): Config {
  const faults: string[] = [];
  const variables = withFiles(env, projectDir, (fault) => faults.push(fault));
  /** An empty variable counts as unset, as in shells and compose files. */
  const text = (name: string): string | null => variables[name]?.trim() || null;
  const check = (holds: boolean, fault: string): void => {
    if (!holds) faults.push(fault);
  };

  const portOf = (name: string, given: string): number => {
    check(
      /^\d+$/.test(given) && Number(given) <= 65_535,
      `${name} must be a whole number from 0 to 65535, not "${given}".`,
    );
    return Number(given);
  };
  const port = portOf('PORT', text('PORT') ?? '8080');
  const internalPortText = text('SLUICE_INTERNAL_PORT');
  const internalPort = internalPortText === null ? null : portOf('SLUICE_INTERNAL_PORT', internalPortText);
  check(
    internalPort === null || internalPort === 0 || internalPort !== port,
    'SLUICE_INTERNAL_PORT must differ from PORT.',
  );

  const workersText = text('SLUICE_WORKERS') ?? 'auto';
  const workers = workersText === 'auto' ? workersFor(cores) : Number(workersText);
  check(
    workersText === 'auto' || (/^\d+$/.test(workersText) && workers >= 1 && workers <= WORKERS_MAX),
    `SLUICE_WORKERS must be "auto" or a whole number from 1 to ${WORKERS_MAX}, not "${workersText}".`,
  );

  const databaseUrl = text('DATABASE_URL');
  const migrationUrl = text('DATABASE_MIGRATION_URL');
  for (const [name, url] of Object.entries({
    DATABASE_URL: databaseUrl,
    DATABASE_MIGRATION_URL: migrationUrl,
  })) {
    check(
      url === null || (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)),
      `${name} must be a valid address that starts with postgres:// or postgresql://.`,
    );
  }
  check(
    migrationUrl === null || databaseUrl !== null,
    'DATABASE_MIGRATION_URL must be set together with DATABASE_URL, whose role gets the rights.',
  );

  const secret = text('SLUICE_SECRET');
  const secretFile = text('SLUICE_SECRET_FILE');
  check(
    secret !== null || secretFile !== null || databaseUrl === null,
    'SLUICE_SECRET must be set together with DATABASE_URL, or SLUICE_SECRET_FILE: it seals the stored channel keys.',
  );
  check(
    secret === null || secretFile === null,
    'SLUICE_SECRET and SLUICE_SECRET_FILE must not both be set: remove one of them.',
  );
  check(
    secret === null || secret.length >= SECRET_CHARACTERS_MIN,
    `SLUICE_SECRET must have at least ${SECRET_CHARACTERS_MIN} characters; "openssl rand -base64 32" makes one.`,
  );

  const previousSecret = text('SLUICE_SECRET_PREVIOUS');
  check(
    previousSecret === null || previousSecret !== secret,
    'SLUICE_SECRET_PREVIOUS must differ from SLUICE_SECRET: it is the secret that was replaced.',
  );

  const adminToken = text('SLUICE_ADMIN_TOKEN');
  check(
    adminToken === null || adminToken.length >= ADMIN_TOKEN_CHARACTERS_MIN,
    `SLUICE_ADMIN_TOKEN must have at least ${ADMIN_TOKEN_CHARACTERS_MIN} characters.`,
  );

  const firstPassword = text('SLUICE_FIRST_PASSWORD');
  check(
    firstPassword === null || passwordFault(firstPassword, FIRST_EMAIL) === null,
    'SLUICE_FIRST_PASSWORD must have at least 12 characters and must not be easy to guess.',
  );

  const timezone = text('SLUICE_TIMEZONE') ?? 'Asia/Seoul';
  check(
    isTimeZone(timezone),
    `SLUICE_TIMEZONE must be a time zone such as Asia/Seoul or UTC, not "${timezone}".`,
  );

  const allowPrivate = text('SLUICE_ALLOW_PRIVATE_CHANNEL_URLS') ?? '0';
  check(
    allowPrivate === '0' || allowPrivate === '1',
    `SLUICE_ALLOW_PRIVATE_CHANNEL_URLS must be 1 or 0, not "${allowPrivate}".`,
  );

  const jobs = text('SLUICE_JOBS') ?? '1';
  check(jobs === '0' || jobs === '1', `SLUICE_JOBS must be 1 or 0, not "${jobs}".`);

  const smtpUrl = text('SLUICE_SMTP_URL');
  const mailFrom = text('SLUICE_MAIL_FROM');
  const mailTo = (text('SLUICE_MAIL_TO') ?? '').split(',').map((one) => one.trim());
  const isMailSet = smtpUrl !== null || mailFrom !== null || mailTo.join('') !== '';
  check(
    !isMailSet || (smtpUrl !== null && /^smtps?:\/\//.test(smtpUrl) && URL.canParse(smtpUrl)),
    'SLUICE_SMTP_URL must be an address that starts with smtp:// or smtps://, set together with SLUICE_MAIL_FROM and SLUICE_MAIL_TO.',
  );
  check(
    !isMailSet || (mailFrom !== null && isMailAddress(mailFrom)),
    'SLUICE_MAIL_FROM must be an e-mail address.',
  );
  check(
    !isMailSet || mailTo.every(isMailAddress),
    'SLUICE_MAIL_TO must be e-mail addresses, separated by commas.',
  );

  const publicUrl = text('SLUICE_PUBLIC_URL');
  const publicOrigin = publicUrl === null ? null : originOf(publicUrl);
  check(
    publicUrl === null || publicOrigin !== null,
    'SLUICE_PUBLIC_URL must be the address of the service alone, such as https://sluice.example.com.',
  );

  const proxiesText = text('SLUICE_TRUSTED_PROXIES') ?? LOOPBACK;
  const trustedProxies = parseProxies(proxiesText);
  check(
    trustedProxies !== null,
    `SLUICE_TRUSTED_PROXIES must be addresses or ranges such as "127.0.0.1, 10.0.0.0/8", or "none", not "${proxiesText}".`,
  );

  const logLevelText = text('LOG_LEVEL') ?? LOG_LEVEL_DEFAULT;
  const logLevel = LOG_LEVELS.find((level) => level === logLevelText);
  check(logLevel !== undefined, `LOG_LEVEL must be one of ${LOG_LEVELS.join(', ')}, not "${logLevelText}".`);

  const slowText = text('SLUICE_SLOW_REQUEST_MS') ?? String(SLOW_REQUEST_MS);
  check(
    /^\d+$/.test(slowText) && Number(slowText) <= SLOW_REQUEST_MS_MAX,
    `SLUICE_SLOW_REQUEST_MS must be a whole number of milliseconds from 0 to ${SLOW_REQUEST_MS_MAX}, not "${slowText}".`,
  );

  const timeout = (name: keyof Timeouts): number => {
    const { variable, default_ms } = TIMEOUTS[name];
    const given = text(variable) ?? String(default_ms);
    const ms = Number(given);
    check(
      /^\d+$/.test(given) && ms >= TIMEOUT_MS_MIN && ms <= TIMEOUT_MS_MAX,
      `${variable} must be a whole number of milliseconds from ${TIMEOUT_MS_MIN} to ${TIMEOUT_MS_MAX}, not "${given}".`,
    );
    return ms;
  };
  const timeouts: Timeouts = Object.freeze({
    headers_ms: timeout('headers_ms'),
    body_ms: timeout('body_ms'),
    idle_connection_ms: timeout('idle_connection_ms'),
    send_ms: timeout('send_ms'),
    connect_ms: timeout('connect_ms'),
    statement_ms: timeout('statement_ms'),
    long_statement_ms: timeout('long_statement_ms'),
    lock_ms: timeout('lock_ms'),
    retry_ms: timeout('retry_ms'),
    idle_transaction_ms: timeout('idle_transaction_ms'),
  });
  check(
    timeouts.headers_ms <= timeouts.body_ms,
    `SLUICE_HEADERS_TIMEOUT_MS must be at most SLUICE_BODY_TIMEOUT_MS, which counts from the same moment.`,
  );

  const limit = (name: keyof Limits, countUnset = LIMITS[name].default_count): number => {
    const { variable, min, max } = LIMITS[name];
    const given = text(variable) ?? String(countUnset);
    const count = Number(given);
    check(
      /^\d+$/.test(given) && count >= min && count <= max,
      `${variable} must be a whole number from ${min} to ${max}, not "${given}".`,
    );
    return count;
  };
  const connections = limit('connections');
  const limits: Limits = Object.freeze({
    connections,
    connections_per_address: limit(
      'connections_per_address',
      Math.max(1, Math.floor(connections * CONNECTIONS_SHARE_PER_ADDRESS)) || undefined,
    ),
    large_bodies_mib: limit('large_bodies_mib'),
    unsent_lists_mib: limit('unsent_lists_mib'),
    wrong_credentials_per_minute: limit('wrong_credentials_per_minute'),
  });

  const drainText = text('SLUICE_DRAIN_MS');
  check(
    drainText === null || (/^\d+$/.test(drainText) && Number(drainText) <= DRAIN_MS_MAX),
    `SLUICE_DRAIN_MS must be a whole number of milliseconds from 0 to ${DRAIN_MS_MAX}, not "${drainText}".`,
  );

  const oidc = readOidc(text, check, publicOrigin);
  const tracing = readTracing(text, check);

  if (faults.length > 0) throw new ConfigError(faults);
  return Object.freeze({
    host: text('HOST') ?? '127.0.0.1',
    port,
    workers,
    workers_auto: workersText === 'auto',
    internal_port: internalPort,
    database_url: databaseUrl,
    database_migration_url: migrationUrl,
    data_dir: resolve(projectDir, text('SLUICE_DATA_DIR') ?? '.data'),
    admin_token: adminToken,
    first_password: firstPassword,
    secret,
    secret_file: secretFile === null ? null : resolve(projectDir, secretFile),
    previous_secret: previousSecret,
    timezone,
    allow_private_channel_urls: allowPrivate === '1',
    public_url: publicOrigin,
    trusted_proxies: trustedProxies ?? [],
    console_dir: resolve(projectDir, 'console', 'dist'),
    log_level: logLevel ?? LOG_LEVEL_DEFAULT,
    slow_request_ms: Number(slowText),
    jobs: jobs === '1',
    mail: isMailSet ? Object.freeze({ smtp_url: smtpUrl ?? '', from: mailFrom ?? '', to: mailTo }) : null,
    timeouts,
    drain_ms: drainText === null ? null : Number(drainText),
    password_cost_log2: PASSWORD_COST_LOG2,
    limits,
    oidc,
    tracing,
  });
}

/** null: not an http(s) URL, or more than scheme, host and port. */
function originOf(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return null;
  return url.href === `${url.origin}/` ? url.origin : null;
}

const isMailAddress = (text: string): boolean => /^[^\s@]+@[^\s@]+$/u.test(text);
