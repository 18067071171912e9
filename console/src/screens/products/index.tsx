import { Badge, Button, Checkbox, Group } from '@mantine/core';
import { Boxes, CloudDownload } from 'lucide-react';
import { Link } from 'react-router';
import { useList } from '../../api/query.ts';
import { path } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { Product } from '../../api/types.ts';
import {
  AddButton,
  Count,
  DataTable,
  EmptyState,
  NoMatch,
  Page,
  SearchInput,
  Time,
  useUrlState,
  type Column,
} from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { useScan } from '../../components/use-scan.ts';
import { CreateProduct } from './create-product.tsx';
import { byPower } from './product/by-power.ts';
import { words } from './words.ts';

const POWERS_SHOWN = 6;

export default function Products() {
  const w = useWords(words);
  const c = useWords(common);
  const canEdit = useCan('operator');
  const [url, setUrl] = useUrlState({ search: '', archived: '', new: '' });
  const scan = useScan();
  const archived = url.archived === 'true' ? 'true' : '';
  const list = useList('/products', { search: url.search, archived });
  const buttons = canEdit && (
    <Group gap="xs">
      <AddButton variant="default" label={w.create} onClick={() => setUrl({ new: '1' })} />
      <Button component={Link} to="/register" leftSection={<CloudDownload size={16} aria-hidden />}>
        {w.fromChannel}
      </Button>
    </Group>
  );

  const columns: Column<Product>[] = [
    {
      key: 'code',
      header: w.code,
      primary: true,
      cell: ({ code }) => (
        <Link to={path`/products/${code}`} className="mono">
          {code}
        </Link>
      ),
    },
    {
      key: 'name',
      header: c.name,
      cell: ({ name, archived: isArchived }) => (
        <>
          {name}
          {isArchived && (
            <Badge color="gray" ml="xs">
              {c.archived}
            </Badge>
          )}
        </>
      ),
    },
    { key: 'powers', header: w.powers, cell: powersOf },
    { key: 'items', header: c.items, align: 'right', cell: ({ variants }) => <Count n={variants.length} /> },
    {
      key: 'created',
      header: c.created,
      align: 'right',
      cell: ({ created_at }) => <Time at={created_at} relative />,
    },
  ];
  return (
    <Page title={w.title} description={w.description} actions={buttons}>
      <div className="filters">
        <SearchInput label={w.searchHint} w={340} maw="100%" onEnter={scan} />
        <Checkbox
          label={w.showArchived}
          checked={archived !== ''}
          onChange={({ currentTarget }) => setUrl({ archived: currentTarget.checked ? 'true' : '' })}
        />
      </div>
      <DataTable
        virtual
        label={w.title}
        columns={columns}
        rowKey={({ code }) => code}
        list={list}
        empty={
          url.search === '' && archived === '' ? (
            <EmptyState icon={Boxes} title={w.empty} text={w.emptyText} action={buttons} />
          ) : (
            <NoMatch onReset={() => setUrl({ search: '', archived: '' })} />
          )
        }
      />
      {canEdit && url.new !== '' && <CreateProduct onClose={() => setUrl({ new: '' })} />}
    </Page>
  );
}

/** Such as "−0.50, −0.75, … −6.00": enough to recognize the product. */
function powersOf({ variants }: Product): string | null {
  const powers = variants.toSorted(byPower).flatMap(({ power }) => (power === null ? [] : [power]));
  if (powers.length <= POWERS_SHOWN) return powers.length === 0 ? null : powers.join(', ');
  return `${powers.slice(0, POWERS_SHOWN - 1).join(', ')}, … ${powers.at(-1)}`;
}
