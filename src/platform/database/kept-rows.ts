// Retention of lists about channels: 30 days, and at most the newest rows of each channel.

const KEPT_DAYS = 30;
const ROWS_A_CHANNEL_MAX = 2_000;

/**
 * The rows of each channel beyond the newest `kept`. Counted first: most channels have fewer, and sorting the rows of all
 * channels every minute took three times as long (0.3 s for 40,000 rows of each list).
 */
export const surplusRows = (table: string, columns: string, newestFirst: string, kept: string): string =>
  `select s.* from (select channel_id from ${table} group by channel_id having count(*) > ${kept}) c
   cross join lateral (
     select ${columns} from ${table} where channel_id = c.channel_id order by ${newestFirst} offset ${kept}
   ) s`;

/**
 * Selects and locks the ids of the rows to delete. `at`: the column with their time. `order`: the order in which other
 * statements lock these rows, with the alias `r`. Rows locked by other processes are in use and skipped.
 */
export const expiredRows = (table: string, at: string, order: string): string =>
  `select r.id from ${table} r
   where r.${at} < now() - make_interval(days => $1)
     or r.id in (${surplusRows(table, 'id', `${at} desc, id desc`, '$2')})
   order by ${order} for update of r skip locked`;

/** The parameters of `expiredRows`. */
export const keptRows = (rowsMax = ROWS_A_CHANNEL_MAX): number[] => [KEPT_DAYS, rowsMax];
