// The sides of a two-piece set: each is a group of options.

export type Side = 'left' | 'right';

export const SET_GROUPS_MAX = 2;

const SIDE_WORDS: Record<Side, readonly string[]> = {
  left: ['l', 'left', 'os', '좌', '왼쪽', '좌안', '左'],
  right: ['r', 'right', 'od', '우', '오른쪽', '우안', '右'],
};

/** Which group is left and which is right: by name if it says so, otherwise by order of appearance. */
export function sidesOf(groups: readonly string[]): Map<string, Side> {
  const [first, second] = groups;
  if (first === undefined || groups.length > SET_GROUPS_MAX) return new Map();
  const named = sideNamed(first);
  const other = second === undefined ? undefined : sideNamed(second);
  const isFirstRight = named === 'right' ? other !== 'right' : named === undefined && other === 'left';
  const [side, opposite]: [Side, Side] = isFirstRight ? ['right', 'left'] : ['left', 'right'];
  return new Map([[first, side], ...(second === undefined ? [] : [[second, opposite] as const])]);
}

function sideNamed(group: string): Side | undefined {
  const word = group.normalize('NFKC').toLowerCase();
  return (['left', 'right'] as const).find((side) => SIDE_WORDS[side].includes(word));
}
