// API keys in request headers. Keys made here are ASCII; a key that was taken over from another service may be any
// text.

/** Longest key that can be taken over. */
export const API_KEY_CHARACTERS_MAX = 200;
/** A key of so few characters can be guessed. */
export const API_KEY_GUESSABLE_CHARACTERS_MAX = 19;

const isAscii = (text: string): boolean => !/[^\0-\x7f]/.test(text);

/** Whether a header can carry the key: HTTP removes outer blanks, and control characters end a header. */
export const isHeaderText = (key: string): boolean => key.trim() === key && !/\p{Cc}/u.test(key);

/**
 * The keys that a header may stand for. Node decodes its bytes as Latin-1, but clients send characters outside ASCII as
 * Latin-1 or as UTF-8.
 */
export const keyTexts = (header: string): string[] =>
  isAscii(header) ? [header] : [header, Buffer.from(header, 'latin1').toString('utf8')];

/** The header value for a key. Characters outside ASCII are sent as UTF-8. */
export const keyHeader = (key: string): string =>
  isAscii(key) ? key : Buffer.from(key, 'utf8').toString('latin1');
