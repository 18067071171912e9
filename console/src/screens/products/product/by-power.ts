interface Powered {
  power: string | null;
}

/** For `toSorted`: +1.00, 0.00, −0.25, …, as in the catalogue of a lens; then items without a number, in their own order. */
export function byPower(a: Powered, b: Powered): number {
  const [first, second] = [rankOf(a), rankOf(b)];
  return first === second ? 0 : first - second;
}

const rankOf = ({ power }: Powered): number => {
  const number = power === null || power.trim() === '' ? Number.NaN : Number(power);
  return Number.isNaN(number) ? Infinity : -number;
};
