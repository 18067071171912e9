// The names of all variables, and variables that are probably misspelled.
import { closest } from '../values/closest.ts';
import { FROM_FILES } from './files.ts';

/** Lines of the help. test/config.test.ts compares them with the variables that are read. */
export const VARIABLES = [
  'PORT  HOST  SLUICE_WORKERS  SLUICE_INTERNAL_PORT  SLUICE_PUBLIC_URL  SLUICE_TRUSTED_PROXIES',
  'DATABASE_URL  DATABASE_MIGRATION_URL  SLUICE_DATA_DIR  SLUICE_TIMEZONE  SLUICE_JOBS  LOG_LEVEL  SLUICE_LOG_TIME',
  'SLUICE_ADMIN_TOKEN  SLUICE_FIRST_PASSWORD  SLUICE_SECRET  SLUICE_SECRET_FILE  SLUICE_SECRET_PREVIOUS',
  'SLUICE_ALLOW_PRIVATE_CHANNEL_URLS  SLUICE_SMTP_URL  SLUICE_MAIL_FROM  SLUICE_MAIL_TO  SLUICE_SLOW_REQUEST_MS',
  'SLUICE_HEADERS_TIMEOUT_MS  SLUICE_BODY_TIMEOUT_MS  SLUICE_IDLE_CONNECTION_TIMEOUT_MS  SLUICE_SEND_TIMEOUT_MS',
  'SLUICE_CONNECT_TIMEOUT_MS  SLUICE_STATEMENT_TIMEOUT_MS  SLUICE_LONG_STATEMENT_TIMEOUT_MS',
  'SLUICE_LOCK_TIMEOUT_MS  SLUICE_IDLE_TRANSACTION_TIMEOUT_MS  SLUICE_RETRY_TIMEOUT_MS  SLUICE_DRAIN_MS',
  'SLUICE_CONNECTIONS_MAX  SLUICE_CONNECTIONS_PER_ADDRESS_MAX  SLUICE_WRONG_CREDENTIALS_PER_MINUTE_MAX',
  'SLUICE_LARGE_BODIES_MIB  SLUICE_UNSENT_LISTS_MIB',
  'SLUICE_OIDC_ISSUER  SLUICE_OIDC_CLIENT_ID  SLUICE_OIDC_CLIENT_SECRET  SLUICE_OIDC_ROLES',
  'SLUICE_OIDC_ROLE_CLAIM  SLUICE_OIDC_SCOPES  SLUICE_OIDC_LABEL',
  'OTEL_EXPORTER_OTLP_ENDPOINT  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT  OTEL_EXPORTER_OTLP_HEADERS',
  'OTEL_EXPORTER_OTLP_TIMEOUT  OTEL_EXPORTER_OTLP_PROTOCOL  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL',
  'OTEL_SERVICE_NAME  OTEL_RESOURCE_ATTRIBUTES  OTEL_TRACES_SAMPLER  OTEL_TRACES_SAMPLER_ARG',
  'OTEL_SDK_DISABLED  OTEL_TRACES_EXPORTER',
];

/** Read by commands only. */
const OF_COMMANDS = ['SLUICE_SERVICE_UNIT'];

/** A sentence for each variable of Sluice that nothing reads, without its value. */
export function unknownVariables(env: Readonly<Record<string, string | undefined>>): string[] {
  const known = [
    ...VARIABLES.flatMap((line) => line.split(/ +/)),
    ...FROM_FILES.map((name) => `${name}_FILE`),
    ...OF_COMMANDS,
  ];
  const unknown = Object.keys(env).filter((name) => name.startsWith('SLUICE_') && !known.includes(name));
  return unknown.map((name) => {
    const meant = closest(name, known);
    return `${name} is not a variable of Sluice and is ignored${meant === null ? '' : `; did you mean ${meant}?`}`;
  });
}
