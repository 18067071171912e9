// The claims of an OpenID provider, and the role that they give.

/** Lowest first, as in the store. */
const RANKED = ['viewer', 'operator', 'admin'] as const;
type RankedRole = (typeof RANKED)[number];

/** The values of the claim that give each role. */
export type RoleMapping = Readonly<Record<RankedRole, readonly string[]>>;

/** Parses `admin=sluice-admins operator=warehouse,sales`; null: wrong syntax, or no role at all. */
export function parseRoleMapping(text: string): RoleMapping | null {
  const mapping: Record<RankedRole, string[]> = { viewer: [], operator: [], admin: [] };
  for (const part of text.split(/\s+/).filter((one) => one !== '')) {
    const [, name, values = ''] = /^([a-z]+)=(.+)$/.exec(part) ?? [];
    const role = RANKED.find((one) => one === name);
    const list = values.split(',').filter((value) => value !== '');
    if (role === undefined || list.length === 0) return null;
    mapping[role].push(...list);
  }
  return Object.values(mapping).some((values) => values.length > 0) ? mapping : null;
}

/** The values of a claim, which is a text or a list of texts. Its name may be a path such as `realm_access.roles`. */
export function claimValues(claims: unknown, path: string): string[] {
  let value: unknown = claims;
  // A claim may have dots in its name, such as `https://example.com/roles`.
  const steps =
    typeof claims === 'object' && claims !== null && Object.hasOwn(claims, path) ? [path] : path.split('.');
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return [];
    value = Reflect.get(value, step);
  }
  return [value].flat().filter((one) => typeof one === 'string');
}

/** The highest role that the claims give; null: no role. */
export function roleOfClaims(claims: unknown, path: string, mapping: RoleMapping): RankedRole | null {
  const values = claimValues(claims, path);
  return RANKED.findLast((role) => mapping[role].some((value) => values.includes(value))) ?? null;
}
