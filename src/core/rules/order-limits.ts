// Limits of an order (contract 8). Lengths count Unicode characters.

export const ORDER_LINES_MAX = 1_000;
export const ORDER_NUMBER_CHARACTERS_MAX = 100;
export const RECIPIENT_NAME_CHARACTERS_MAX = 100;
export const RECIPIENT_PHONE_CHARACTERS_MAX = 30;
export const SHIPPING_ADDRESS_CHARACTERS_MAX = 500;
export const TRACKING_NUMBER_CHARACTERS_MAX = 100;

/** Orders per request of the back office that changes statuses. */
export const STATUS_CHANGES_MAX = 200;
/** Rows of a courier's shipment list. */
export const SHIPMENTS_MAX = 2_000;
