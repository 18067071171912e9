// Secrets from files: `NAME_FILE` names a file with the value of `NAME`. Container secrets and systemd credentials are
// files, and a file is not shown by `ps`, `docker inspect` or a crash report. SLUICE_SECRET_FILE is read by secret.ts,
// because a rotation replaces that file.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { systemError } from '../log/system-error.ts';

export const FROM_FILES = [
  'DATABASE_URL',
  'DATABASE_MIGRATION_URL',
  'SLUICE_ADMIN_TOKEN',
  'SLUICE_FIRST_PASSWORD',
  'SLUICE_SECRET_PREVIOUS',
  'SLUICE_SMTP_URL',
  'SLUICE_OIDC_CLIENT_SECRET',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment with the values from these files. Each error is passed to `fault`. */
export function withFiles(env: Environment, projectDir: string, fault: (text: string) => void): Environment {
  const read = FROM_FILES.flatMap((name) => {
    const file = env[`${name}_FILE`]?.trim();
    if (!file) return [];
    if (env[name]?.trim()) {
      fault(`${name} and ${name}_FILE must not both be set: remove one of them.`);
      return [];
    }
    try {
      const value = readFileSync(resolve(projectDir, file), 'utf8').trim();
      if (value === '') fault(`${name}_FILE: ${file} is empty.`);
      return [[name, value]];
    } catch (error) {
      fault(`${name}_FILE: ${file} cannot be read (${systemError(error).code ?? 'unknown error'}).`);
      return [];
    }
  });
  return { ...env, ...Object.fromEntries(read) };
}
