// The place in a long list, by entry of the browser's history: Back and a reload return to it.
import type { VirtualItem } from '@tanstack/react-virtual';

export interface ListPlace {
  /** How far the page was scrolled. */
  topPx: number;
  /** The first row in sight, and how far its upper edge was below that of the window. */
  firstRow: number;
  firstRowPx: number;
  /** How many rows had been loaded. */
  rows: number;
  /** Where the rows began on the page. */
  marginPx: number;
  /** The rows have other heights at another width. */
  widthPx: number;
  /** The height of rows that are not measured. */
  rowPx: number;
  /** Not kept over a reload. */
  measured: VirtualItem[];
}

const STORED = 'sluice.places';
const PLACES_MAX = 20;

const places = new Map<string, ListPlace>(stored());

export function keepPlace(entry: string, place: ListPlace): void {
  places.delete(entry);
  places.set(entry, place);
  for (const oldest of [...places.keys()].slice(0, -PLACES_MAX)) places.delete(oldest);
  const lean = [...places].map(([key, one]) => [key, { ...one, measured: [] }]);
  sessionStorage.setItem(STORED, JSON.stringify(lean));
}

export function placeOf(entry: string): ListPlace | null {
  const place = places.get(entry);
  return place?.widthPx === window.innerWidth ? place : null;
}

/** Without the measured heights the same pixel would be another row. */
export const topOf = ({ measured, topPx, marginPx, firstRow, firstRowPx, rowPx }: ListPlace): number =>
  measured.length > 0 ? topPx : Math.max(0, marginPx + firstRow * rowPx - firstRowPx);

function stored(): [string, ListPlace][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as [string, ListPlace][];
  } catch {
    return [];
  }
}
