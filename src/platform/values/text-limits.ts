// Limits of texts, for requests, files, the command line and the console. Lengths are in Unicode characters.

/** Nothing that can be seen: blanks, and characters such as U+200B and the Hangul filler U+3164. */
export const isBlank = (text: string): boolean => !/[^\s\p{Default_Ignorable_Code_Point}]/u.test(text);

/** Product and variant codes, SKUs, token names, common codes. */
export const CODE_CHARACTERS_MAX = 100;
export const PRODUCT_NAME_CHARACTERS_MAX = 255;
export const POWER_CHARACTERS_MAX = 100;
export const BARCODE_CHARACTERS_MAX = 100;
/** Names of variant attributes. */
export const ATTRIBUTE_NAME_CHARACTERS_MAX = 50;
export const ATTRIBUTE_CHARACTERS_MAX = 200;
export const ATTRIBUTES_MAX = 20;
/** Names of channels, users and common codes. */
export const NAME_CHARACTERS_MAX = 100;
/** Other names of a courier. */
export const CODE_ALIASES_MAX = 20;
export const REASON_CHARACTERS_MAX = 255;
/** A note about an order. */
export const NOTE_CHARACTERS_MAX = 2_000;
export const ORDER_NUMBER_PREFIX_CHARACTERS_MAX = 50;
export const WEBHOOK_DESCRIPTION_CHARACTERS_MAX = 200;
/** A search over codes and names. */
export const CODE_SEARCH_CHARACTERS_MAX = 200;
export const PASSWORD_CHARACTERS_MIN = 12;
export const PASSWORD_CHARACTERS_MAX = 200;
