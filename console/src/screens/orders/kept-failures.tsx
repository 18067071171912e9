// Orders that could not be shipped, kept above the list until they are dismissed: the dialog with the results is easily
// closed by a key press, but the failures still have to be dealt with.
import { Alert, Button, Group } from '@mantine/core';
import { CircleAlert } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { sessionNow } from '../../api/session.ts';
import { CopyButton, DataTable, OrderLink, type Column } from '../../components/index.ts';
import { common } from '../../i18n/common.ts';
import { useWords } from '../../i18n/words.ts';
import { useRefusal, type MoveRefusal } from './refusal.ts';
import { listWords, moveWords } from './words.ts';

export interface Failure {
  order_number: string;
  /** null: no order with this number */
  order_id: number | null;
  tracking_number: string;
  refusal: MoveRefusal;
}

/** `of`: the user id, so that another user on the same computer does not see these failures. */
interface Kept {
  of: number | null;
  failures: readonly Failure[];
}

/** In the storage of the browser, so that a reload does not lose them. */
const STORED_AS = 'sluice.orders.failures';
let kept = stored();
const listeners = new Set<() => void>();

const userNow = (): number | null => sessionNow()?.user?.id ?? null;
const keptNow = (): readonly Failure[] => (kept.of === userNow() ? kept.failures : NONE);
const NONE: readonly Failure[] = [];

function set(failures: readonly Failure[]): void {
  kept = { of: userNow(), failures };
  try {
    if (failures.length === 0) localStorage.removeItem(STORED_AS);
    else localStorage.setItem(STORED_AS, JSON.stringify(kept));
  } catch {
    // Storage is full or blocked: they stay until the page is closed.
  }
  announce();
}

function stored(): Kept {
  try {
    const text = localStorage.getItem(STORED_AS);
    if (text !== null) return JSON.parse(text) as Kept;
  } catch {
    // Blocked, or not readable.
  }
  return { of: null, failures: [] };
}

/** Another tab has changed or dismissed them. */
addEventListener('storage', ({ key }) => {
  if (key !== STORED_AS) return;
  kept = stored();
  announce();
});

function announce(): void {
  for (const listener of listeners) listener();
}

/** `done`: numbers of orders that have been shipped since. */
export function keepFailures(failures: readonly Failure[], done: readonly string[]): void {
  const gone = new Set([...done, ...failures.map(({ order_number }) => order_number)]);
  set([...failures, ...keptNow().filter(({ order_number }) => !gone.has(order_number))]);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function KeptFailures() {
  const l = useWords(listWords);
  const m = useWords(moveWords);
  const c = useWords(common);
  const say = useRefusal();
  const failures = useSyncExternalStore(subscribe, keptNow);
  if (failures.length === 0) return null;
  const columns: Column<Failure>[] = [
    {
      key: 'order',
      header: c.order,
      primary: true,
      cell: ({ order_id, order_number }) => <OrderLink id={order_id} number={order_number} />,
    },
    {
      key: 'tracking',
      header: m.tracking,
      cell: ({ tracking_number }) => <span className="mono">{tracking_number}</span>,
    },
    { key: 'reason', header: c.reason, width: '55%', cell: ({ refusal }) => say(refusal) },
  ];
  const text = failures
    .map(({ order_number, tracking_number, refusal }) =>
      [order_number, tracking_number, say(refusal)].join('\t'),
    )
    .join('\n');
  return (
    <section aria-label={l.keptTitle(failures.length)} className="orders-kept">
      <Alert
        color="red"
        icon={<CircleAlert size={18} aria-hidden />}
        title={l.keptTitle(failures.length)}
        p="sm"
      >
        <div className="orders-kept-table">
          <DataTable
            label={l.keptTitle(failures.length)}
            columns={columns}
            rows={failures}
            rowKey={({ order_number }) => order_number}
          />
        </div>
        <Group justify="flex-end" mt="xs" gap="xs">
          <CopyButton text={text} label={c.copy} compact={false} />
          <Button variant="default" onClick={() => set([])}>
            {l.dismiss}
          </Button>
        </Group>
      </Alert>
    </section>
  );
}
