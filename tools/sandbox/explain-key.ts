// Explains why a key was refused, by its form only: nothing is known, or shown, of a key that is not a test key.
const KEY = /^sluice_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const SLIPS: readonly [RegExp, string][] = [
  [/^\s*bearer\s/i, 'It begins with "Bearer": the header X-Api-Key holds the key alone.'],
  [/["'<>{}$]/, 'It holds quotation marks, brackets or a placeholder: the header holds the key alone.'],
  [/^sluice_admin_/, 'It is a token of an administrator: channels have keys of their own.'],
  [/\s/, 'It holds a blank.'],
  [/[A-F]/, 'It is in capital letters: keys are written in small ones.'],
];

export function explainKey(key: string | null): string {
  if (key === null || key === '') {
    return 'The request has no key: send the key of the channel in the header X-Api-Key.';
  }
  const slip = SLIPS.find(([pattern]) => pattern.test(key))?.[1];
  if (slip !== undefined) return `The key is not one. ${slip}`;
  if (!KEY.test(key)) {
    return 'The key is not one: a key is "sluice_" followed by a UUID, 43 characters in all.';
  }
  return 'No active channel has this key. The sandbox knows its own test keys, not those of the real service.';
}
