// Fields of variants in the admin API.
import { nullable } from '../../platform/schema/building-blocks.ts';
import { Type } from '../../platform/schema/json-schema.ts';

export const Attributes = Type.Record(Type.String(), Type.String(), {
  description: 'Texts by name, such as size and colour.',
});
export const LowStockAt = nullable<number>({
  type: 'integer',
  description: 'The item is low when its common_available is this or less; null: no warning.',
});
