// Roles on the command line.
import { ROLES, type Role } from '../values/roles.ts';
import { UsageError } from '../cli/command.ts';

export function readRole(text: string, hint: string): Role {
  const role = ROLES.find((known) => known === text);
  if (!role) throw new UsageError(`--role must be admin, operator or viewer, not "${text}".`, hint);
  return role;
}
