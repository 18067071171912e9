// The largest value of PostgreSQL's type integer.

export const INT32_MAX = 2_147_483_647;
