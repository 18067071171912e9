import { Anchor, Stack, Text } from '@mantine/core';
import { useList } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import type { Channel } from '../../../api/types.ts';
import { Section } from '../../../components/index.ts';
import { useWords } from '../../../i18n/words.ts';
import { Command, inventoryCommand, orderCommand } from '../command.tsx';
import { words } from './words.ts';

const KEY = 'YOUR_KEY';

const exampleOrder = (channel: Channel, sku: string) => ({
  order_number: `TEST-${channel.id}-1`,
  recipient_name: 'Test',
  recipient_phone: '010-0000-0000',
  shipping_address: 'Test',
  items: [{ sku, quantity: 1, unit_price: 1_000 }],
});

export function Commands({ channel }: { channel: Channel }) {
  const w = useWords(words);
  const mappings = useList(apiPath('/channels/{id}/mappings', { id: channel.id }), {}, { limit: 1 });
  const sku = mappings.rows[0]?.sku;
  return (
    <Section
      id="channel-commands"
      title={w.commands}
      text={
        <>
          {w.commandsText}{' '}
          <Anchor href="/docs" underline="always">
            {w.reference}
          </Anchor>
        </>
      }
    >
      <Stack gap="md">
        <Command label={w.inventory} text={inventoryCommand(KEY)} />
        {sku === undefined ? (
          <Text size="sm" c="dimmed">
            {w.orderNeedsSku}
          </Text>
        ) : (
          <div>
            <Command label={w.order} text={orderCommand(KEY, exampleOrder(channel, sku))} />
            <Text size="xs" c="dimmed" mt={4}>
              {w.orderHint}
            </Text>
          </div>
        )}
      </Stack>
    </Section>
  );
}
