// Statements that only product registration needs.
import { run, statement, type Tx } from './database.ts';

const SET_POWERS = statement(
  'registration_set_powers',
  `update variant v set power = d.power
   from unnest($1::text[], $2::text[]) as d (code, power) where v.code = d.code`,
);

export const setPowers = (
  tx: Tx,
  variants: readonly { code: string; power: string | null }[],
): Promise<number> =>
  run(tx, SET_POWERS, [variants.map((variant) => variant.code), variants.map((variant) => variant.power)]);
