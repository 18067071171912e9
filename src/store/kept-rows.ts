// Retention of lists about channels: 30 days, and at most the newest rows of each channel.

const KEPT_DAYS = 30;
const ROWS_A_CHANNEL_MAX = 2_000;

/**
 * Selects and locks the ids of the rows to delete. `at`: the column with their time. `order`: the order in which other
 * statements lock these rows, with the alias `r`. Rows locked by other processes are in use and skipped.
 */
export const expiredRows = (table: string, at: string, order: string): string =>
  `select r.id from ${table} r
   where r.${at} < now() - make_interval(days => $1) or r.id in (
     select n.id
     from (select id, row_number() over (partition by channel_id order by ${at} desc, id desc) as n from ${table}) n
     where n.n > $2)
   order by ${order} for update of r skip locked`;

/** The parameters of `expiredRows`. */
export const keptRows = (rowsMax = ROWS_A_CHANNEL_MAX): number[] => [KEPT_DAYS, rowsMax];
