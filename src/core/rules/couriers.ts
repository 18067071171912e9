// Finds a courier by the text in a carrier's list: its code, its name or one of its aliases.
import { editDistance } from '../../platform/values/closest.ts';

export interface KnownCourier {
  code: string;
  name: string;
  aliases: readonly string[];
}

/** Aliases as one text: separated by commas, each once. */
export const aliasesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  ),
];

/** Letters and digits only: "CJ Logistics", "cj-logistics" and "CJLOGISTICS" are one name. */
const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '');

const namesOf = ({ code, name, aliases }: KnownCourier): string[] => [code, name, ...aliases];

/** null: no courier is called so, or several are. */
export function courierOf<Courier extends KnownCourier>(
  text: string,
  couriers: readonly Courier[],
): Courier | null {
  const exact = couriers.find(({ code }) => code === text);
  if (exact) return exact;
  const wanted = plain(text);
  if (wanted === '') return null;
  for (const names of [({ code }: Courier) => [code], namesOf]) {
    const found = couriers.filter((courier) => names(courier).some((name) => plain(name) === wanted));
    if (found.length > 0) return found.length === 1 ? (found[0] ?? null) : null;
  }
  return null;
}

const NEAREST_MAX = 3;

/** Couriers that a wrong text may mean, the nearest first. */
export function nearestCouriers(
  text: string,
  couriers: readonly KnownCourier[],
): { code: string; name: string }[] {
  const wanted = plain(text);
  if (wanted === '') return [];
  const distanceOf = (courier: KnownCourier): number =>
    Math.min(
      ...namesOf(courier).map((name) => {
        const known = plain(name);
        if (known === '') return Infinity;
        if (known.startsWith(wanted) || wanted.startsWith(known)) return 0;
        const distance = editDistance(wanted, known);
        return distance <= Math.max(1, Math.floor(known.length / 3)) ? distance : Infinity;
      }),
    );
  return couriers
    .map((courier) => ({ courier, distance: distanceOf(courier) }))
    .filter(({ distance }) => distance !== Infinity)
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, NEAREST_MAX)
    .map(({ courier: { code, name } }) => ({ code, name }));
}
