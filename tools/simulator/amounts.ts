// What an order must come to (contract 2.6.3a), in whole numbers. A verdict must not lean on the code it judges, so this is
// not the service's own arithmetic.
import type { OrderLine } from './orders.ts';

export interface Amounts {
  total_amount: string;
  unit_prices: string[];
}

interface Decimal {
  digits: bigint;
  scale: number;
}

function decimal(text: string): Decimal {
  const [whole = '0', fraction = ''] = text.split('.');
  return { digits: BigInt(whole + fraction), scale: fraction.length };
}

/** Half up, to two decimals; amounts are never negative. */
function rounded({ digits, scale }: Decimal): string {
  const unit = 10n ** BigInt(scale);
  const cents = (digits * 100n * 2n + unit) / (unit * 2n);
  return `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
}

const times = (a: Decimal, b: Decimal): Decimal => ({
  digits: a.digits * b.digits,
  scale: a.scale + b.scale,
});

const plus = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale);
  const raised = ({ digits, scale: own }: Decimal): bigint => digits * 10n ** BigInt(scale - own);
  return { digits: raised(a) + raised(b), scale };
};

export function amountsOf(items: readonly OrderLine[], rate: string): Amounts {
  const kept = decimal(rate);
  const total = items
    .map(({ quantity, unit_price }) => times(decimal(String(unit_price)), decimal(String(quantity))))
    .reduce(plus, decimal('0'));
  return {
    total_amount: rounded(times(total, kept)),
    unit_prices: items.map(({ unit_price }) => rounded(times(decimal(String(unit_price)), kept))),
  };
}
