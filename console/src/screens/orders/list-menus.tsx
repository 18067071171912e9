import { ActionIcon, Button, Checkbox, Group, Menu, Popover, Stack, TextInput } from '@mantine/core';
import { Bookmark, Columns3, Download, Trash2 } from 'lucide-react';
import { useState, type SyntheticEvent } from 'react';
import { address } from '../../api/request.ts';
import { useLanguage } from '../../i18n/language.ts';
import { useWords } from '../../i18n/words.ts';
import { NO_FILTER, queryOf, type Filter } from './filters.tsx';
import { useKept } from './kept.ts';
import { words } from './words.ts';

interface ColumnMenuProps {
  columns: readonly { key: string; header: string; primary?: boolean }[];
  hidden: readonly string[];
  onChange: (hidden: string[]) => void;
}

export function ColumnMenu({ columns, hidden, onChange }: ColumnMenuProps) {
  const w = useWords(words);
  return (
    <Popover position="bottom-end" trapFocus returnFocus>
      <Popover.Target>
        <Button variant="default" leftSection={<Columns3 size={15} aria-hidden />}>
          {w.columns}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {columns
            .filter(({ primary }) => primary !== true)
            .map(({ key, header }) => (
              <Checkbox
                key={key}
                label={header}
                checked={!hidden.includes(key)}
                onChange={({ currentTarget }) =>
                  onChange(currentTarget.checked ? hidden.filter((other) => other !== key) : [...hidden, key])
                }
              />
            ))}
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

export function ExportMenu({ url }: { url: Filter }) {
  const w = useWords(words);
  const language = useLanguage();
  const to = (format: 'csv' | 'xlsx') => address('/orders/export', { ...queryOf(url), format, language });
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<Download size={15} aria-hidden />}>
          {w.export}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item component="a" href={to('xlsx')} download>
          {w.exportExcel}
        </Menu.Item>
        <Menu.Item component="a" href={to('csv')} download>
          {w.exportCsv}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

interface View {
  name: string;
  url: Filter;
}
const NAME_CHARACTERS_MAX = 40;

/** Named views of filters and sorting, stored in this browser. */
export function ViewMenu({ url, onChange }: { url: Filter; onChange: (url: Filter) => void }) {
  const w = useWords(words);
  const [views, setViews] = useKept<readonly View[]>('views', []);
  const [name, setName] = useState('');
  const [isOpen, setOpen] = useState(false);
  const save = (event: SyntheticEvent) => {
    event.preventDefault();
    const named = name.trim();
    if (named === '') return;
    setViews([...views.filter((view) => view.name !== named), { name: named, url }]);
    setName('');
  };
  return (
    <Popover position="bottom-end" trapFocus returnFocus opened={isOpen} onChange={setOpen}>
      <Popover.Target>
        <Button
          variant="default"
          leftSection={<Bookmark size={15} aria-hidden />}
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          {w.views}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          {views.map((view) => (
            <Group key={view.name} gap="xs" justify="space-between" wrap="nowrap">
              <Button
                variant="subtle"
                size="compact-sm"
                onClick={() => {
                  onChange({ ...NO_FILTER, ...view.url });
                  setOpen(false);
                }}
              >
                {view.name}
              </Button>
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={w.deleteView(view.name)}
                onClick={() => setViews(views.filter((other) => other !== view))}
              >
                <Trash2 size={15} aria-hidden />
              </ActionIcon>
            </Group>
          ))}
          <form onSubmit={save}>
            <Group gap="xs" wrap="nowrap">
              <TextInput
                aria-label={w.viewName}
                placeholder={w.viewName}
                maxLength={NAME_CHARACTERS_MAX}
                value={name}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
              <Button type="submit">{w.saveView}</Button>
            </Group>
          </form>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
