/** The stock that a shipment lacks. */
export interface Shortage {
  sku: string;
  available: number;
  requested: number;
}

/** Reads the details of `insufficient_stock`; null if they are missing: the message then has no numbers. */
export function shortageOf(details: Record<string, unknown> | null): Shortage | null {
  const { sku, available, requested } = details ?? {};
  return typeof sku === 'string' && typeof available === 'number' && typeof requested === 'number'
    ? { sku, available, requested }
    : null;
}
