import { Select, TextInput } from '@mantine/core';
import { TRACKING_NUMBER_CHARACTERS_MAX } from '../../../../../src/core/rules/order-limits.ts';
import { apiPath } from '../../../api/address.ts';
import { useAll } from '../../../api/query.ts';
import { Problem, type Form } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { moveWords } from '../words.ts';

interface ShipmentFieldsProps {
  form: Pick<Form<{ tracking_number: string; courier_code: string | null }>, 'text' | 'choice'>;
  /** The courier of the order, which may have been deleted since. */
  stored: { courier_code: string | null; courier_name: string | null };
}

/** Tracking number and courier of a shipment. */
export function ShipmentFields({ form, stored: { courier_code, courier_name } }: ShipmentFieldsProps) {
  const c = useWords(common);
  const m = useWords(moveWords);
  const couriers = useAll(apiPath('/common-codes/{group}', { group: 'DELIVERY_COMPANY' }));
  const known = couriers.data?.map(({ code, name }) => ({ value: code, label: name })) ?? [];
  const isListed = courier_code === null || known.some(({ value }) => value === courier_code);
  return (
    <>
      <TextInput
        label={m.tracking}
        maxLength={TRACKING_NUMBER_CHARACTERS_MAX}
        autoComplete="off"
        data-autofocus
        {...form.text('tracking_number')}
      />
      <Select
        label={`${m.courier} (${c.optional})`}
        placeholder={m.noCourier}
        data={isListed ? known : [{ value: courier_code, label: courier_name ?? courier_code }, ...known]}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': c.clear }}
        {...form.choice('courier_code')}
      />
      <Problem error={couriers.error} />
    </>
  );
}
