// Accounts with the password PASSWORD, created in the store: hashing it for each would take most of a test's time.
import { hashPassword } from '../../src/platform/passwords/passwords.ts';
import { insertAccount, setPassword } from '../../src/platform/accounts/store.ts';
import type { Role } from '../../src/platform/values/roles.ts';
import { inTransaction } from '../../src/platform/database/transactions.ts';
import { PASSWORD } from '../../verify/kit/canaries.ts';
import { unique } from '../../verify/kit/fixtures.ts';
import { CHEAP_COST_LOG2, type TestService } from '../../verify/kit/service.ts';

export interface TestUser {
  id: number;
  email: string;
  password: string;
}

/** The hash of PASSWORD. */
export const CHEAP_HASH = await hashPassword(PASSWORD, CHEAP_COST_LOG2);

export async function makeAccount({ service }: TestService, role: Role): Promise<TestUser> {
  const email = `${unique(role)}@example.com`;
  const id = await inTransaction(service.services.pool, async (tx) => {
    const made = await insertAccount(tx, { email, name: null, role, password_hash: CHEAP_HASH });
    if (!made) throw new RangeError(email);
    await setPassword(tx, made.id, CHEAP_HASH, { must_change: false });
    return made.id;
  });
  return { id, email, password: PASSWORD };
}
