/** Accepts only paths of the console, so that a crafted link cannot redirect to another site. */
export const ownPath = (text: string | null): string =>
  text !== null && /^\/(?![/\\])/.test(text) ? text : '/';
