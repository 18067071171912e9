// The API tells a shortage at shipment as one sentence; its numbers are wanted in two languages.
const NUMBERS = /SKU (?<sku>.+): available (?<available>\d+), requested (?<requested>\d+)/;

export interface Shortage {
  sku: string;
  available: number;
  requested: number;
}

/** Null when the sentence reads otherwise: then it is told without the numbers. */
export function readShortage(text: string): Shortage | null {
  const found = NUMBERS.exec(text)?.groups;
  if (found === undefined) return null;
  return {
    sku: found['sku'] ?? '',
    available: Number(found['available']),
    requested: Number(found['requested']),
  };
}
