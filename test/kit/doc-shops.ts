// The data that the pages of docs/channels name: the shops of the sandbox, restored to the documented stock between
// pages.
import type { ServiceProcess } from '../../verify/kit/process.ts';
import { must } from '../../verify/kit/fixtures.ts';
import { DOCS_PRODUCTS, DOCS_VARIABLES } from '../../tools/sandbox/seed-data.ts';
import type { Environment } from './doc-examples.ts';

/** The variables that the examples read. */
export const docsEnvironment = ({ origin }: ServiceProcess): Environment => ({
  SLUICE: `${origin}/api/v1`,
  ...DOCS_VARIABLES,
});

/** Cancels open orders and restocks shipped goods. Cheaper than a reset. */
export async function startOver(sandbox: ServiceProcess): Promise<void> {
  const admin: ServiceProcess['admin'] = (...request) => sandbox.admin(...request);
  const orders = await must(admin('GET', '/orders?limit=500'), 200);
  for (const { id, status } of orders) {
    if (status !== 3 && status !== 88) await must(admin('POST', `/orders/${id}/status`, { status: 88 }), 200);
  }
  for (const { variant, quantity } of DOCS_PRODUCTS) {
    if (quantity !== null)
      await must(admin('PUT', `/stock/${variant}`, { quantity, reason: 'as documented' }), 200, 201);
  }
}
