// The claims of an OpenID provider, and the role that they give.
import { RANKED, type RankedRole, type RoleMapping } from '../../platform/config/role-mapping-rules.ts';

/** The values of a claim, which is a text or a list of texts. Its name may be a path such as `realm_access.roles`. */
export const claimValues = (claims: unknown, path: string): string[] =>
  [claimAt(claims, path)].flat().filter((one) => typeof one === 'string');

const hasClaim = (claims: unknown, path: string): boolean => (claimAt(claims, path) ?? null) !== null;

function claimAt(claims: unknown, path: string): unknown {
  let value: unknown = claims;
  // A claim may have dots in its name, such as `https://example.com/roles`.
  const steps =
    typeof claims === 'object' && claims !== null && Object.hasOwn(claims, path) ? [path] : path.split('.');
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = Reflect.get(value, step);
  }
  return value;
}

type Claims = Readonly<Record<string, unknown>>;

/** Claims of the ID token and of the user-info endpoint, about the same subject. */
export interface ProviderAnswer {
  readonly id_token: Claims;
  readonly user_info: Claims;
}

interface ClaimedPerson {
  /** As the provider sent it; empty: none. */
  readonly email: string;
  /** null: the provider does not say. */
  readonly is_email_verified: boolean | null;
  readonly name: string;
  /** null: the claims give no role. */
  readonly role: RankedRole | null;
}

/**
 * Each claim comes from the ID token if it has this claim, otherwise from the user-info endpoint. `email_verified` is read
 * only beside the e-mail: a user who can change one of the two sources could otherwise have the e-mail of another user
 * verified.
 */
export function personOfClaims(
  { id_token, user_info }: ProviderAnswer,
  roleClaim: string,
  mapping: RoleMapping,
): ClaimedPerson {
  const sourceOf = (path: string) => (hasClaim(id_token, path) ? id_token : user_info);
  const source = sourceOf('email');
  const email = textOf(source['email']);
  return {
    email,
    is_email_verified: isVerified(email, source['email_verified']),
    name: textOf(sourceOf('name')['name']),
    role: roleOfClaims(sourceOf(roleClaim), roleClaim, mapping),
  };
}

/** A list is no e-mail and no name: which of its values was verified is unknown. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/**
 * The provider has verified the e-mail as it sent it: `ａdmin@…` is normalized to `admin@…`, another mailbox. Some
 * providers send the text "true", against the standard: it is no statement, and any other value is a no.
 */
function isVerified(email: string, claim: unknown): boolean | null {
  if (email.normalize('NFKC').trim() !== email) return false;
  if (claim === true) return true;
  return claim === undefined || claim === null || claim === 'true' ? null : false;
}

/** The highest role that the claims give; null: no role. */
export function roleOfClaims(claims: unknown, path: string, mapping: RoleMapping): RankedRole | null {
  const values = claimValues(claims, path);
  return RANKED.findLast((role) => mapping[role].some((value) => values.includes(value))) ?? null;
}
