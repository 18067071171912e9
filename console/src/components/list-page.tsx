import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { DataTable } from './data-table.tsx';
import type { DataTableProps } from './data-table-columns.ts';
import { Page } from './page.tsx';
import { EmptyState } from './states.tsx';

interface ListPageProps<Row> extends Omit<DataTableProps<Row>, 'label' | 'empty'> {
  title: string;
  description: string;
  /** The button that adds a row: shown at the top, and in the middle of an empty list. */
  add: ReactNode;
  empty: { icon: LucideIcon; title: string; text: string };
  /** Dialogs. */
  children: ReactNode;
}

/** A screen with a single list whose entries are added by hand. */
export function ListPage<Row>({ title, description, add, empty, children, ...table }: ListPageProps<Row>) {
  return (
    <Page title={title} description={description} actions={add}>
      <DataTable label={title} {...table} empty={<EmptyState {...empty} action={add} />} />
      {children}
    </Page>
  );
}
