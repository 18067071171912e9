// As the API has them.
export const CODE_CHARACTERS_MAX = 100;
export const NAME_CHARACTERS_MAX = 255;
