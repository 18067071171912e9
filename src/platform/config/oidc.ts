// The settings of sign-in at an OpenID provider.
import { parseRoleMapping, type RoleMapping } from './role-mapping-rules.ts';
import type { Variables } from './variables.ts';

export interface OidcConfig {
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  /** Text of the sign-in button. */
  readonly label: string;
  readonly role_claim: string;
  readonly roles: RoleMapping;
  readonly scopes: string;
}

const OIDC_NEEDED = [
  'SLUICE_OIDC_ISSUER',
  'SLUICE_OIDC_CLIENT_ID',
  'SLUICE_OIDC_CLIENT_SECRET',
  'SLUICE_OIDC_ROLES',
];
const OIDC_OPTIONAL = ['SLUICE_OIDC_LABEL', 'SLUICE_OIDC_ROLE_CLAIM', 'SLUICE_OIDC_SCOPES'];
const LOOPBACK_HOSTS = ['127.0.0.1', 'localhost', '[::1]'];

/** null: no variable is set, or one is wrong. */
export function readOidc({ text, check }: Variables, publicOrigin: string | null): OidcConfig | null {
  if ([...OIDC_NEEDED, ...OIDC_OPTIONAL].every((name) => text(name) === null)) return null;
  for (const name of OIDC_NEEDED)
    check(
      text(name) !== null,
      `${name} must be set, like ${OIDC_NEEDED.join(', ')}, for sign-in at an OpenID provider.`,
    );
  check(
    publicOrigin !== null,
    'SLUICE_PUBLIC_URL must be set for sign-in at an OpenID provider, which sends users back there.',
  );
  const issuer = text('SLUICE_OIDC_ISSUER');
  const url = issuer === null ? null : URL.parse(issuer);
  check(
    issuer === null ||
      url?.protocol === 'https:' ||
      (url?.protocol === 'http:' && LOOPBACK_HOSTS.includes(url.hostname)),
    'SLUICE_OIDC_ISSUER must be an https URL.',
  );
  const rolesText = text('SLUICE_OIDC_ROLES');
  const roles = rolesText === null ? null : parseRoleMapping(rolesText);
  check(
    rolesText === null || roles !== null,
    `SLUICE_OIDC_ROLES must map roles to values of the claim, such as "admin=sluice-admins operator=warehouse,sales", not "${rolesText}".`,
  );
  const [client_id, client_secret] = [text('SLUICE_OIDC_CLIENT_ID'), text('SLUICE_OIDC_CLIENT_SECRET')];
  if (issuer === null || client_id === null || client_secret === null || roles === null) return null;
  return Object.freeze({
    issuer,
    client_id,
    client_secret,
    label: text('SLUICE_OIDC_LABEL') ?? 'Single sign-on',
    role_claim: text('SLUICE_OIDC_ROLE_CLAIM') ?? 'roles',
    roles,
    scopes: text('SLUICE_OIDC_SCOPES') ?? 'openid email profile',
  });
}
