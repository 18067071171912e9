// Roles of the embedded server: one owns the schema, the service's role only uses it.
import { createHmac } from 'node:crypto';
import { Client } from 'pg';

export const SERVICE_ROLE = 'sluice';
const OWNER_ROLE = 'sluice_owner';
const DATABASE = 'sluice';

export interface Addresses {
  /** The service's role, which owns nothing. */
  readonly url: string;
  /** The role that owns the schema; migrations use it. */
  readonly ownerUrl: string;
  /** The superuser, in the database `postgres`; tests create and drop databases with it. */
  readonly adminUrl: string;
}

export function addressesOf(password: string, port: number): Addresses {
  // Explicitly without TLS: PGSSLMODE in the environment is meant for other servers.
  const address = (role: string, secret: string, database: string): string =>
    `postgres://${role}:${secret}@127.0.0.1:${port}/${database}?sslmode=disable`;
  return {
    url: address(SERVICE_ROLE, rolePassword(password, SERVICE_ROLE), DATABASE),
    ownerUrl: address(OWNER_ROLE, rolePassword(password, OWNER_ROLE), DATABASE),
    adminUrl: address('postgres', password, 'postgres'),
  };
}

/** Derived, so that one role's password does not reveal another's. */
const rolePassword = (password: string, role: string): string =>
  createHmac('sha256', password).update(`role ${role}`).digest('base64url');

/** Idempotent: the next start completes one that was killed. */
export async function ensureDatabase(admin: Client, password: string): Promise<void> {
  const exists = async (sql: string): Promise<boolean> => ((await admin.query(sql)).rowCount ?? 0) > 0;
  for (const role of [OWNER_ROLE, SERVICE_ROLE]) {
    if (await exists(`select from pg_roles where rolname = '${role}'`)) continue;
    await admin.query(
      `create role ${role} login password ${admin.escapeLiteral(rolePassword(password, role))}`,
    );
  }
  if (!(await exists(`select from pg_database where datname = '${DATABASE}'`))) {
    await admin.query(`create database ${DATABASE} owner ${OWNER_ROLE}`);
  }
  const ownedBy = (role: string): string =>
    `select from pg_database where datname = '${DATABASE}' and datdba = '${role}'::regrole`;
  if (await exists(ownedBy(SERVICE_ROLE))) await handOver(admin);
  if (await exists(`select where has_database_privilege('${SERVICE_ROLE}', 'postgres', 'connect')`)) {
    await admin.query(`revoke all on database postgres, template1, ${DATABASE} from public`);
    await admin.query(`grant connect on database ${DATABASE} to ${SERVICE_ROLE}`);
  }
}

/** For a database of an earlier version, in which the service owned everything. One statement, so it is atomic. */
async function handOver(admin: Client): Promise<void> {
  const { host, port, user, password } = admin;
  const client = new Client({
    host,
    port,
    user: user ?? '',
    password: password ?? '',
    database: DATABASE,
    ssl: false,
  });
  await client.connect();
  try {
    await client.query(`reassign owned by ${SERVICE_ROLE} to ${OWNER_ROLE}`);
  } finally {
    await client.end();
  }
}
