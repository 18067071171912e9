// The change between two polls: one statement adds one unit to 100 SKUs and writes the ledger and the change journal, as
// the back office does.
import pg from 'pg';
import { Random } from '../../verify/kit/random.ts';
import { evenVariants } from './catalogue-names.ts';
import type { ChangePlan } from './job.ts';

const SKUS_PER_CHANGE = 100;

const CHANGE = {
  name: 'bench_change',
  text: `with locked as (
           select variant_id from stock where variant_id = any($1::int[]) order by variant_id for update
         ), changed as (
           update stock s set quantity = s.quantity + 1 from locked l where s.variant_id = l.variant_id
           returning s.variant_id, s.quantity
         ), ledger as (
           insert into stock_movement (variant_id, delta, quantity_after, kind, actor, reason)
           select variant_id, 1, quantity, 'adjustment', 'bench', 'benchmark' from changed
         )
         insert into change_journal (variant_ids, only_quantities) select array_agg(variant_id), true from changed`,
};

export interface Changer {
  change(): Promise<void>;
  close(): Promise<void>;
}

/** Uses one connection: changes are serialized, like those of one import. */
export async function openChanger({ database_url, variants }: ChangePlan): Promise<Changer> {
  const client = new pg.Client({ connectionString: database_url, application_name: 'sluice-bench-change' });
  await client.connect();
  const last = evenVariants(variants);
  const random = new Random(1);
  let previous: Promise<unknown> = Promise.resolve();
  return {
    async change() {
      const ids = new Set<number>();
      while (ids.size < SKUS_PER_CHANGE) ids.add(random.between(1, last));
      previous = previous.then(() => client.query({ ...CHANGE, values: [[...ids]] }));
      await previous;
    },
    close: () => client.end(),
  };
}
