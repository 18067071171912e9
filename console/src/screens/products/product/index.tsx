import { Badge, Button, Group, Title } from '@mantine/core';
import { Pencil, SearchX } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { ApiError } from '../../../api/error.ts';
import { useGet } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { path } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { Product as ProductData, StockRow, Variant } from '../../../api/types.ts';
import {
  AddButton,
  Count,
  DataTable,
  EmptyState,
  ItemLink,
  Page,
  Reading,
  usePathCode,
  type Column,
} from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { ArchiveProduct } from './archive.tsx';
import { byPower } from './by-power.ts';
import { AddItem, Rename } from './dialogs.tsx';
import './product.css';
import { useSkus, type ChannelSku } from './use-skus.ts';
import { useStock } from '../../../components/use-stock.ts';
import { words } from './words.ts';

export default function Product() {
  const w = useWords(words);
  const code = usePathCode();
  const canEdit = useCan('operator');
  const [dialog, setDialog] = useState<'rename' | 'add' | null>(null);
  const product = useGet(apiPath('/products/{code}', { code }));
  const isUnknown = product.error instanceof ApiError && product.error.status === 404;
  const name = product.data?.name;
  return (
    <Page
      title={isUnknown ? w.unknownTitle : (name ?? code)}
      back={{ to: '/products', label: w.backTo }}
      description={
        <>
          {w.code} <span className="mono">{code}</span>
          {product.data?.archived === true && (
            <Badge color="gray" ml="xs">
              {w.archived}
            </Badge>
          )}
        </>
      }
      actions={
        canEdit &&
        product.data && (
          <Group gap="xs">
            <ArchiveProduct product={product.data} />
            <Button
              variant="default"
              leftSection={<Pencil size={15} aria-hidden />}
              onClick={() => setDialog('rename')}
            >
              {w.rename}
            </Button>
          </Group>
        )
      }
    >
      {isUnknown ? (
        <EmptyState
          icon={SearchX}
          title={w.unknownTitle}
          text={w.unknownText(code)}
          action={
            canEdit && (
              <Button
                component={Link}
                variant="default"
                to={`/register?${new URLSearchParams({ code }).toString()}`}
              >
                {w.fromChannel}
              </Button>
            )
          }
        />
      ) : (
        <Reading query={product}>
          {(found) => (
            <>
              <Items product={found} onAdd={() => setDialog('add')} />
              {dialog === 'rename' && <Rename product={found} onClose={() => setDialog(null)} />}
              {dialog === 'add' && <AddItem product={found} onClose={() => setDialog(null)} />}
            </>
          )}
        </Reading>
      )}
    </Page>
  );
}

function Items({ product, onAdd }: { product: ProductData; onAdd: () => void }) {
  const w = useWords(words);
  const c = useWords(common);
  const canEdit = useCan('operator');
  const stock = useStock(product.code);
  const skus = useSkus(product);
  const columns = useColumns(stock.rows, stock.isKnown, skus.of, skus.isLoading);
  const addButton = canEdit && <AddButton size="xs" label={w.addItem} onClick={onAdd} />;
  return (
    <section aria-labelledby="items">
      <Group justify="space-between" mb="xs">
        <Title order={2} id="items">
          {c.items}
        </Title>
        {product.variants.length > 0 && addButton}
      </Group>
      <DataTable
        label={c.items}
        columns={columns}
        rows={product.variants.toSorted(byPower)}
        rowKey={({ code }) => code}
        empty={<EmptyState title={w.empty} text={w.emptyText} action={addButton} />}
        {...(skus.hasFailed ? { footer: w.mappingsFailed } : {})}
      />
    </section>
  );
}

function useColumns(
  stock: Map<string, StockRow>,
  isStockKnown: boolean,
  skusOf: (code: string) => ChannelSku[],
  isLoadingSkus: boolean,
): Column<Variant>[] {
  const w = useWords(words);
  const c = useWords(common);
  const canEdit = useCan('operator');
  const numberOf = (code: string, term: 'quantity' | 'common_available') => {
    const row = stock.get(code);
    if (row) return <Count n={row[term]} />;
    return isStockKnown ? '–' : null;
  };
  return [
    {
      key: 'code',
      header: c.variant,
      primary: true,
      cell: ({ code, archived }) => (
        <>
          <ItemLink code={code} />
          {archived && (
            <Badge color="gray" ml="xs">
              {w.archived}
            </Badge>
          )}
        </>
      ),
    },
    { key: 'power', header: c.power, align: 'right', cell: ({ power }) => power },
    {
      key: 'facts',
      header: w.facts,
      cell: ({ attributes, barcode }) => [...Object.values(attributes), barcode].filter(Boolean).join(' · '),
    },
    { key: 'physical', header: w.physical, align: 'right', cell: ({ code }) => numberOf(code, 'quantity') },
    {
      key: 'common',
      header: w.common,
      align: 'right',
      cell: ({ code }) => numberOf(code, 'common_available'),
    },
    {
      key: 'skus',
      header: w.skus,
      cell: ({ code }) => (isLoadingSkus ? null : <Skus skus={skusOf(code)} />),
    },
    {
      key: 'stock',
      header: w.setStock,
      quiet: true,
      align: 'right',
      cell: ({ code, archived }) => {
        if (!isStockKnown || archived || stock.has(code)) return null;
        return canEdit ? (
          <Button component={Link} to={path`/stock/${code}`} size="compact-xs" variant="light">
            {w.setStock}
          </Button>
        ) : (
          <span className="product-none">{w.noStock}</span>
        );
      },
    },
  ];
}

function Skus({ skus }: { skus: ChannelSku[] }) {
  const w = useWords(words);
  if (skus.length === 0) return <span className="product-none">{w.noSkus}</span>;
  return (
    <ul className="product-skus">
      {skus.map(({ channel, sku }) => (
        <li key={`${channel.id} ${sku}`}>
          <Link
            to={`/mappings?${new URLSearchParams({ channel: String(channel.id), search: sku }).toString()}`}
          >
            <span className="mono">{sku}</span>
          </Link>{' '}
          <span className="product-none">{channel.name}</span>
        </li>
      ))}
    </ul>
  );
}
