import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { CircleCheck } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { path } from '../../api/request.ts';
import type { Channel, RegistrationChanges } from '../../api/types.ts';
import { useWords } from '../../i18n/words.ts';
import { useStock } from '../../components/use-stock.ts';
import { words } from './words.ts';
import { ItemLink, LinkButton } from '../../components/index.ts';

const ITEMS_SHOWN = 20;

interface DoneProps {
  changes: RegistrationChanges;
  channel: Channel;
  onAnother: () => void;
}

/** The result of a registration, and the next steps. */
export function Done({ changes, channel, onAnother }: DoneProps) {
  const w = useWords(words);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    window.scrollTo({ top: 0 });
  }, []);
  const { product, variants, mappings } = changes;
  const said = { created: w.doneCreated, updated: w.doneUpdated, unchanged: w.doneUnchanged };
  const found = new URLSearchParams({ channel: String(channel.id), search: product.code });
  return (
    <Paper component="section" aria-labelledby="done">
      <Group gap="xs" mb="xs" wrap="nowrap">
        <CircleCheck size={22} color="var(--good)" aria-hidden />
        <Title order={2} id="done" ref={heading} tabIndex={-1} className="register-done">
          {w.doneTitle(product.code)}
        </Title>
      </Group>
      <Stack gap={4}>
        <Text size="sm">{said[product.result]}</Text>
        <Text size="sm">{w.doneItems(...countsOf(variants))}</Text>
        <Text size="sm">{w.doneMappings(...countsOf(mappings))}</Text>
      </Stack>
      <Group gap="xs" mt="md">
        <LinkButton to={path`/products/${product.code}`} size="sm" variant="filled" label={w.openProduct} />
        <LinkButton to={`/mappings?${found.toString()}`} size="sm" label={w.openMappings} />
        <Button size="sm" variant="default" onClick={onAnother}>
          {w.another}
        </Button>
      </Group>
      <StockToSet product={product.code} items={variants.map(({ code }) => code)} />
    </Paper>
  );
}

type Counts = [created: number, updated: number, unchanged: number];
const countsOf = (all: { result: 'created' | 'updated' | 'unchanged' }[]): Counts => [
  all.filter(({ result }) => result === 'created').length,
  all.filter(({ result }) => result === 'updated').length,
  all.filter(({ result }) => result === 'unchanged').length,
];

function StockToSet({ product, items }: { product: string; items: string[] }) {
  const w = useWords(words);
  const stock = useStock(product);
  if (!stock.isKnown) return null;
  const without = items.filter((code) => !stock.rows.has(code));
  const more = without.length - ITEMS_SHOWN;
  return (
    <div className="register-next">
      <Title order={3}>{w.stockToSet}</Title>
      <Text size="sm" c="dimmed" mb="xs">
        {without.length === 0 ? w.stockAllSet : w.stockToSetText}
      </Text>
      {without.length > 0 && (
        <ul className="register-chips">
          {without.slice(0, ITEMS_SHOWN).map((code) => (
            <li key={code}>
              <ItemLink code={code} />
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <Text size="sm">{w.moreItems(more)}</Text>}
    </div>
  );
}
