/** What a shipment lacks. */
export interface Shortage {
  sku: string;
  available: number;
  requested: number;
}

/** From the facts of `insufficient_stock`; null where they are not there: then it is told without the numbers. */
export function shortageOf(details: Record<string, unknown> | null): Shortage | null {
  const { sku, available, requested } = details ?? {};
  return typeof sku === 'string' && typeof available === 'number' && typeof requested === 'number'
    ? { sku, available, requested }
    : null;
}
