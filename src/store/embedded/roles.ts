// Who may do what on the embedded server: one role owns the schema, the service's own one only uses it.
import { createHmac } from 'node:crypto';
import { Client } from 'pg';

export const SERVICE_ROLE = 'sluice';
const OWNER_ROLE = 'sluice_owner';
const DATABASE = 'sluice';

export interface Addresses {
  /** The service's own role, which owns nothing. */
  readonly url: string;
  /** The role that owns the schema: migrations run as it. */
  readonly ownerUrl: string;
  /** The superuser, in the database `postgres`: tests make and drop databases with it. */
  readonly adminUrl: string;
}

export function addressesOf(password: string, port: number): Addresses {
  // Without TLS, said aloud: a PGSSLMODE in the environment is meant for other servers.
  const address = (role: string, secret: string, database: string): string =>
    `postgres://${role}:${secret}@127.0.0.1:${port}/${database}?sslmode=disable`;
  return {
    url: address(SERVICE_ROLE, rolePassword(password, SERVICE_ROLE), DATABASE),
    ownerUrl: address(OWNER_ROLE, rolePassword(password, OWNER_ROLE), DATABASE),
    adminUrl: address('postgres', password, 'postgres'),
  };
}

/** From one role's password nobody gets another's. */
const rolePassword = (password: string, role: string): string =>
  createHmac('sha256', password).update(`role ${role}`).digest('base64url');

/** Every step looks first: a start that was killed half way is completed by the next one. */
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

/** A database of an earlier version, where the service owned everything. One statement: all of it or nothing. */
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
