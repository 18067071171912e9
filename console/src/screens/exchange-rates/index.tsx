import { useState } from 'react';
import { useGet } from '../../api/query.ts';
import { useCan } from '../../api/session.ts';
import type { CurrentRates } from '../../api/types.ts';
import { AddButton, Page, Reading, useUrlState } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { AddDialog } from './add-dialog.tsx';
import { Current, Missing } from './current.tsx';
import { History } from './history.tsx';
import { Source } from './source.tsx';
import './rates.css';
import { words } from './words.ts';

export default function ExchangeRates() {
  const w = useWords(words);
  const canAdd = useCan('operator');
  const current = useGet('/exchange-rates/current');
  const [url, setUrl] = useUrlState({ currency_code: '', new: '' });
  /** The currency with which the dialog opens; null: the dialog is closed. */
  const [chosenToAdd, setAdding] = useState<string | null>(null);
  const adding = canAdd && url.new !== '' ? '' : chosenToAdd;
  const choose = (currency: string) => setUrl({ currency_code: currency });
  const addButton = canAdd && <AddButton label={w.add} onClick={() => setAdding('')} />;
  return (
    <Page title={w.title} description={w.description} actions={addButton}>
      <Reading query={current}>
        {({ now, rates, missing }) => {
          const known = currenciesOf({ rates, missing });
          const chosen =
            url.currency_code === '' ? (firstUsed(rates) ?? known[0]) : url.currency_code.toUpperCase();
          return (
            <>
              <Missing missing={missing} onAdd={setAdding} />
              <Source rates={rates} />
              <Current rates={rates} chosen={chosen ?? ''} onChoose={choose} action={addButton} />
              {chosen !== undefined && (
                <History
                  key={chosen}
                  now={Date.parse(now)}
                  currency={chosen}
                  currencies={[...new Set([...known, chosen])].toSorted()}
                  onChoose={choose}
                  onAdd={setAdding}
                />
              )}
            </>
          );
        }}
      </Reading>
      {adding !== null && (
        <AddDialog
          currency={adding}
          rates={current.data?.rates ?? []}
          onAdded={choose}
          onClose={() => {
            setAdding(null);
            setUrl({ new: '' });
          }}
        />
      )}
    </Page>
  );
}

const currenciesOf = ({ rates, missing }: Pick<CurrentRates, 'rates' | 'missing'>): string[] =>
  [...rates, ...missing].map(({ currency_code }) => currency_code);

/** The first currency that a channel uses. */
const firstUsed = (rates: CurrentRates['rates']): string | undefined =>
  rates.find(({ channels }) => channels.length > 0)?.currency_code;
