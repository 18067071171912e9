import { Alert, Anchor, Button } from '@mantine/core';
import { CircleDollarSign, Plus, TriangleAlert } from 'lucide-react';
import { Link } from 'react-router';
import { path } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { ChannelRef, CurrentRates } from '../../api/types.ts';
import { DataTable, EmptyState, Time, type Column } from '../../components/index.ts';
import { useFormat } from '../../i18n/format.ts';
import { useWords } from '../../i18n/words.ts';
import { words } from './words.ts';

type Rate = CurrentRates['rates'][number];

/** Currencies without a rate: orders of their channels are recorded with 0 KRW. */
export function Missing({
  missing,
  onAdd,
}: Pick<CurrentRates, 'missing'> & { onAdd: (code: string) => void }) {
  const w = useWords(words);
  const format = useFormat();
  const canAdd = useCan('operator');
  return missing.map(({ currency_code, channels, next }) => (
    <Alert
      key={currency_code}
      color="yellow"
      mb="md"
      title={w.missing(currency_code)}
      icon={<TriangleAlert size={18} aria-hidden />}
    >
      <p className="rates-missing">
        {w.missingText(channels.map(({ name }) => name).join(', '))}{' '}
        {next && w.missingNext(format.money(next.rate, 'KRW'), format.dateTime(next.effective_at))}
      </p>
      {canAdd && (
        <Button
          variant="default"
          size="xs"
          leftSection={<Plus size={14} aria-hidden />}
          onClick={() => onAdd(currency_code)}
        >
          {w.addFor(currency_code)}
        </Button>
      )}
    </Alert>
  ));
}

interface CurrentProps {
  rates: readonly Rate[];
  chosen: string;
  onChoose: (currency: string) => void;
  action: React.ReactNode;
}

export function Current({ rates, chosen, onChoose, action }: CurrentProps) {
  const w = useWords(words);
  const format = useFormat();
  const columns: Column<Rate>[] = [
    {
      key: 'currency',
      header: w.currency,
      primary: true,
      cell: ({ currency_code }) => (
        <Anchor
          component="button"
          type="button"
          inherit
          fw={600}
          aria-label={w.showHistory(currency_code)}
          aria-pressed={currency_code === chosen}
          onClick={() => onChoose(currency_code)}
        >
          {currency_code}
        </Anchor>
      ),
    },
    {
      key: 'rate',
      header: w.rate,
      cell: ({ currency_code, rate }) => (
        <span className="num">{w.rateIs(currency_code, format.money(rate, 'KRW'))}</span>
      ),
    },
    { key: 'since', header: w.since, cell: ({ effective_at }) => <Time at={effective_at} /> },
    {
      key: 'next',
      header: w.next,
      cell: ({ next }) =>
        next && (
          <span className="num">
            {w.nextIs(format.money(next.rate, 'KRW'))} <Time at={next.effective_at} />
          </span>
        ),
    },
    { key: 'channels', header: w.usedBy, cell: ({ channels }) => <Users channels={channels} /> },
  ];
  return (
    <DataTable
      label={w.current}
      columns={columns}
      rows={rates}
      rowKey={({ currency_code }) => currency_code}
      empty={<EmptyState icon={CircleDollarSign} title={w.empty} text={w.emptyText} action={action} />}
    />
  );
}

function Users({ channels }: { channels: readonly ChannelRef[] }) {
  const w = useWords(words);
  if (channels.length === 0) return <span className="rates-quiet">{w.unused}</span>;
  return (
    <span className="rates-channels">
      {channels.map(({ id, name }) => (
        <Link key={id} to={path`/channels/${id}`}>
          {name}
        </Link>
      ))}
    </span>
  );
}
