// Shared by the two lists of this screen: the table with its empty states, and the button that removes an entry.
import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { CircleCheck, X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useSend, type List } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import { DataTable, EmptyState, NoMatch, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

interface Entry {
  id: number;
  order_number: string;
}

interface WorklistProps<Row> {
  label: string;
  columns: Column<Row>[];
  list: List<Row>;
  isFiltered: boolean;
  onReset: () => void;
  empty: { title: string; text: string };
}

export function Worklist<Row extends Entry>(props: WorklistProps<Row>) {
  const { label, columns, list, isFiltered, onReset, empty } = props;
  return (
    <DataTable
      label={label}
      columns={columns}
      rowKey={({ id }) => id}
      list={list}
      empty={isFiltered ? <NoMatch onReset={onReset} /> : <EmptyState icon={CircleCheck} {...empty} />}
    />
  );
}

/** The last column, for users who may remove entries: the remove button after any other buttons. */
export function useActionColumn<Row extends Entry>(
  remove: (row: Row) => Promise<unknown>,
  options: { refresh: string; others?: (row: Row) => ReactNode },
): Column<Row>[] {
  const w = useWords(words);
  const c = useWords(common);
  const canEdit = useCan('operator');
  const dismiss = useSend(remove, {
    refresh: [options.refresh],
    done: (_, { order_number }) => w.dismissed(order_number),
  });
  if (!canEdit) return [];
  return [
    {
      key: 'actions',
      header: c.actions,
      quiet: true,
      align: 'right',
      cell: (row) => (
        <Group gap={4} justify="flex-end" wrap="nowrap">
          {options.others?.(row)}
          <Tooltip label={w.dismiss(row.order_number)}>
            <ActionIcon
              variant="subtle"
              aria-label={w.dismiss(row.order_number)}
              onClick={() => dismiss.mutate(row)}
            >
              <X size={16} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      ),
    },
  ];
}
