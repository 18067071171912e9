/** Only a path of our own: an address from outside must not send people elsewhere. */
export const ownPath = (text: string | null): string =>
  text !== null && /^\/(?![/\\])/.test(text) ? text : '/';
