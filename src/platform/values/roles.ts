// The roles of users and admin tokens. Each one includes those before it.
export const ROLES = ['viewer', 'operator', 'admin'] as const;
/**
 * viewer: reads. operator: also changes stock, mappings, allocations, orders and so on. admin: also changes channels,
 * keys, tokens and users.
 */
export type Role = (typeof ROLES)[number];
