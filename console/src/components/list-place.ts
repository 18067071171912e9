// The scroll position of a long list, by history entry: Back and a reload restore it.
import type { VirtualItem } from '@tanstack/react-virtual';

export interface ListPlace {
  /** Scroll offset of the page. */
  topPx: number;
  /** The first visible row, and the distance of its upper edge from the top of the window. */
  firstRow: number;
  firstRowPx: number;
  /** Number of loaded rows. */
  rows: number;
  /** Offset of the first row on the page. */
  marginPx: number;
  /** Row heights depend on the width: the position is valid only for this one. */
  widthPx: number;
  /** Height of rows that are not measured. */
  rowPx: number;
  /** Empty after a reload. */
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

/** Without measured heights the position is computed from the row: the same offset could be a different row. */
export const topOf = ({ measured, topPx, marginPx, firstRow, firstRowPx, rowPx }: ListPlace): number =>
  measured.length > 0 ? topPx : Math.max(0, marginPx + firstRow * rowPx - firstRowPx);

function stored(): [string, ListPlace][] {
  try {
    return JSON.parse(sessionStorage.getItem(STORED) ?? '[]') as [string, ListPlace][];
  } catch {
    return [];
  }
}
