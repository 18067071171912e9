// Secret settings: the secret that seals stored keys, the admin token, the password of the first account.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { FIRST_EMAIL, passwordFault } from '../passwords/passwords.ts';
import { systemError } from '../log/system-error.ts';
import type { Variables } from './variables.ts';

export interface Secrets {
  /** null: read from `secret_file` */
  readonly secret: string | null;
  /** Set by the operator; null: generated in `data_dir`, only with the embedded server */
  readonly secret_file: string | null;
  /** Opens keys that were sealed before the secret was replaced; null: the file beside that of `secret`, or none */
  readonly previous_secret: string | null;
  readonly admin_token: string | null;
  /** Password of the first account until its first sign-in; null: a random one */
  readonly first_password: string | null;
}

const ADMIN_TOKEN_CHARACTERS_MIN = 16;
const SECRET_CHARACTERS_MIN = 32;

export const readSecrets = (variables: Variables, projectDir: string, needsSecretFile: boolean): Secrets => ({
  ...readSecret(variables, projectDir, needsSecretFile),
  admin_token: readAdminToken(variables),
  first_password: readFirstPassword(variables),
});

function readSecret(
  { text, check }: Variables,
  projectDir: string,
  needsSecretFile: boolean,
): Pick<Secrets, 'secret' | 'secret_file' | 'previous_secret'> {
  const secret = text('SLUICE_SECRET');
  const secretFile = text('SLUICE_SECRET_FILE');
  check(
    secret !== null || secretFile !== null || text('DATABASE_URL') === null,
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
  const path = secretFile === null ? null : resolve(projectDir, secretFile);
  const fault = needsSecretFile && path !== null ? secretFileFault(path) : null;
  check(fault === null, fault ?? '');
  return {
    secret,
    secret_file: path,
    previous_secret: previousSecret,
  };
}

/** null: the file contains a secret. */
export function secretFileFault(path: string): string | null {
  try {
    if (readFileSync(path, 'utf8').trim().length >= SECRET_CHARACTERS_MIN) return null;
    return `SLUICE_SECRET_FILE: ${path} must hold at least ${SECRET_CHARACTERS_MIN} characters; "openssl rand -base64 32" makes a secret.`;
  } catch (error) {
    return `SLUICE_SECRET_FILE: ${path} cannot be read (${systemError(error).code ?? 'unknown error'}).`;
  }
}

function readAdminToken({ text, check }: Variables): string | null {
  const token = text('SLUICE_ADMIN_TOKEN');
  check(
    token === null || token.length >= ADMIN_TOKEN_CHARACTERS_MIN,
    `SLUICE_ADMIN_TOKEN must have at least ${ADMIN_TOKEN_CHARACTERS_MIN} characters.`,
  );
  check(
    token === null || /^[\x21-\x7e]+$/.test(token),
    'SLUICE_ADMIN_TOKEN must consist of letters, digits and signs of ASCII without blanks: other characters cannot be sent as a bearer token.',
  );
  return token;
}

function readFirstPassword({ text, check }: Variables): string | null {
  const password = text('SLUICE_FIRST_PASSWORD');
  check(
    password === null || passwordFault(password, FIRST_EMAIL) === null,
    'SLUICE_FIRST_PASSWORD must have at least 12 characters and must not be easy to guess.',
  );
  return password;
}
