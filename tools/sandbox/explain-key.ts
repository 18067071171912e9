// Explains why a key was refused, by its form only. Nothing is known about a key that is not a test key, and
// none of it is shown.
const KEY = /^sluice_[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

const SLIPS: readonly [RegExp, string][] = [
  [/^\s*bearer\s/i, 'It begins with "Bearer": the header X-Api-Key contains only the key.'],
  [/["'<>{}$]/, 'It contains quotation marks, brackets or a placeholder: the header contains only the key.'],
  [/^sluice_admin_/, 'It is the token of an administrator: channels have their own keys.'],
  [/\s/, 'It contains a space.'],
  [/[A-F]/, 'It contains capital letters: keys are written in lower case.'],
];

export function explainKey(key: string | null): string {
  if (key === null || key === '') {
    return 'The request has no key: send the key of the channel in the header X-Api-Key.';
  }
  const slip = SLIPS.find(([pattern]) => pattern.test(key))?.[1];
  if (slip !== undefined) return `This is not a valid key. ${slip}`;
  if (!KEY.test(key)) {
    return 'This is not a valid key: a key is "sluice_" followed by a UUID, 43 characters in all.';
  }
  return 'No active channel has this key. The sandbox accepts its own test keys, not keys of the real service.';
}
