// The setting that says which values of a claim give a role at sign-in.

/** Lowest first, as in the store. */
export const RANKED = ['viewer', 'operator', 'admin'] as const;
export type RankedRole = (typeof RANKED)[number];

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
