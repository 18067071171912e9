// Lists of stock that are entered in several parts, and what happens between two of them.
import { must, unique } from '../../verify/kit/fixtures.ts';
import type { TestService } from '../../verify/kit/service.ts';

export function longLists(service: TestService) {
  const { pool } = service.service.services;
  return {
    /** Codes of variants of one product, with ascending ids and no stock. */
    async items(count: number): Promise<string[]> {
      const product = unique('MANY');
      const codes = Array.from({ length: count }, (_, at) => `${product}-${at}`);
      await must(service.admin('POST', '/products', { code: product, name: product }), 201);
      await pool.query(
        `with made as (insert into variant (product_id, code)
           select p.id, c.code from product p, unnest($2::text[]) with ordinality as c (code, at) where p.code = $1 order by c.at
           returning id)
         insert into stock (variant_id) select id from made`,
        [product, codes],
      );
      return codes;
    },
    /** A transaction of somebody else that holds the stock row of a variant, until it is released. */
    async hold(code: string): Promise<() => Promise<void>> {
      const client = await pool.connect();
      await client.query('begin');
      await client.query(
        'select from stock s join variant v on v.id = s.variant_id where v.code = $1 for update of s',
        [code],
      );
      return async () => {
        await client.query('rollback');
        client.release();
      };
    },
  };
}
