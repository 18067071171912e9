// Tracking links: a courier's page for one parcel, made from the courier's URL template.
import type { FieldFaultAs } from '../../platform/values/field-fault.ts';
import { checkHttpUrl, type HttpUrlFault } from '../../platform/values/http-url.ts';

const PLACEHOLDER = '{tracking_number}';

/** null: the template can be stored. */
export function checkTrackingUrl(
  template: string,
): HttpUrlFault | FieldFaultAs<'placeholder_missing'> | null {
  const checked = checkHttpUrl(template.replaceAll(PLACEHOLDER, '0'));
  if (!checked.ok) return checked.fault;
  const other = URL.parse(template.replaceAll(PLACEHOLDER, '1'));
  // A number in the host name would let an order choose the server.
  if (other?.origin !== checked.url.origin) return { kind: 'not_an_address' };
  return template.includes(PLACEHOLDER) ? null : { kind: 'placeholder_missing', placeholder: PLACEHOLDER };
}

/** null: the courier has no template, or there is no tracking number. */
export const trackingLink = (template: string | null, trackingNumber: string | null): string | null =>
  template === null || trackingNumber === null
    ? null
    : template.replaceAll(PLACEHOLDER, () => encodeURIComponent(trackingNumber));
