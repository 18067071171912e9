import { Alert } from '@mantine/core';
import { TriangleAlert } from 'lucide-react';
import { Fragment } from 'react';
import type { StockDetail } from '../../../api/types.ts';
import { Section } from '../../../components/index.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { terms as termWords } from '../../../components/stock-terms.ts';
import { words } from './words.ts';

/** "100 physical − 10 unshipped − 50 allocated − 0 backordered = 40 common", and a line for each channel. */
export function Formula({ item }: { item: StockDetail }) {
  const w = useWords(words);
  const format = useFormat();
  const raw = item.quantity - item.unshipped - item.allocated - item.backordered;
  const t = useWords(termWords);
  const terms: [sign: string, n: number, name: string][] = [
    ['', item.quantity, w.physical],
    ['− ', item.unshipped, w.unshipped],
    ['− ', item.allocated, w.allocated],
    ['− ', item.backordered, w.backordered],
    ['= ', item.common_available, w.common],
  ];
  return (
    <Section id="formula" title={w.formula}>
      <p className="stock-item-formula num">
        {terms.map(([sign, n, name], at) => (
          <Fragment key={name}>
            {sign !== '' && ' '}
            <span className="stock-item-term">
              {sign}
              <span data-result={at === terms.length - 1}>
                <b>{format.integer(n)}</b> {name}
              </span>
            </span>
          </Fragment>
        ))}
      </p>
      {raw < 0 && (
        <Alert color="orange" mt="sm" p="xs" icon={<TriangleAlert size={18} aria-hidden />}>
          {w.clamped(format.integer(raw))}
          {item.overcommitted_by > 0 && (
            <div>
              <b>{t.overcommittedBy(format.integer(item.overcommitted_by))}</b>: {w.overcommitted}
            </div>
          )}
        </Alert>
      )}
      {item.channels.length > 0 && (
        <ul className="stock-item-shares num">
          {item.channels.map((channel) => (
            <li key={channel.channel_id}>
              {channel.name}: {format.integer(item.common_available)} +{' '}
              {format.integer(channel.allocated_qty)}{' '}
              {channel.available < item.common_available + channel.allocated_qty ? (
                <>
                  → <b>{format.integer(channel.available)}</b> ({w.limited})
                </>
              ) : (
                <>
                  = <b>{format.integer(channel.available)}</b>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
