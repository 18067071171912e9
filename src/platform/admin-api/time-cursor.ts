// Cursors of lists sorted by time: the time in milliseconds, and the id to distinguish rows with the same time.
import { refuseCursor, textAfter, type PageQuery } from './page.ts';

export const timeKey = (at: Date, id: number): string => `${at.getTime()} ${id}`;

export function timeAfter(query: PageQuery): { at: Date; id: number } | null {
  const text = textAfter(query);
  if (text === null) return null;
  const match = /^(\d{1,14}) (\d{1,15})$/.exec(text);
  if (!match) throw refuseCursor();
  return { at: new Date(Number(match[1])), id: Number(match[2]) };
}
