// Accounts that have chosen PASSWORD, by way of the store: hashing it for each would take most of a test's time.
import { randomBytes, scryptSync } from 'node:crypto';
import { insertAccount, setPassword } from '../../src/store/accounts.ts';
import type { Role } from '../../src/store/tokens.ts';
import { inTransaction } from '../../src/store/transactions.ts';
import { PASSWORD } from '../../verify/kit/canaries.ts';
import { unique } from '../../verify/kit/fixtures.ts';
import type { TestService } from '../../verify/kit/service.ts';

export interface TestUser {
  id: number;
  email: string;
  password: string;
}

const COST_LOG2 = 10;
const BLOCK_SIZE = 8;
const salt = randomBytes(16);

/** Of PASSWORD, at a low cost, which is stored with it: to try a password on it takes a millisecond. */
export const CHEAP_HASH = [
  'scrypt',
  COST_LOG2,
  BLOCK_SIZE,
  1,
  salt.toString('base64'),
  scryptSync(PASSWORD, salt, 32, { N: 2 ** COST_LOG2, r: BLOCK_SIZE, p: 1 }).toString('base64'),
].join('$');

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
