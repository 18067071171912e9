// One item: the formula with its numbers, who may sell what, what holds it, and every movement.
import { Stack } from '@mantine/core';
import { Link } from 'react-router';
import { ApiError } from '../../api/error.ts';
import { useGet } from '../../api/query.ts';
import { apiPath } from '../../api/address.ts';
import { path } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import type { StockDetail } from '../../api/types.ts';
import { Page, Reading, usePathCode } from '../../components/index.ts';
import { useWords } from '../../i18n/words.ts';
import { ChangeStock } from './change-stock.tsx';
import { Channels } from './channels.tsx';
import { Formula } from './formula.tsx';
import { Holding } from './holding.tsx';
import { Ledger } from './ledger.tsx';
import { MissingStock } from './missing-stock.tsx';
import './stock-item.css';
import { words } from './words.ts';

const LOOK_AGAIN_MS = 15_000;

export default function StockItem() {
  const w = useWords(words);
  const code = usePathCode();
  const canEdit = useCan('operator');
  const stock = useGet(apiPath('/stock/{variant_code}', { variant_code: code }), undefined, {
    everyMs: LOOK_AGAIN_MS,
  });
  const isMissing = stock.error instanceof ApiError && stock.error.status === 404;
  return (
    <Page
      title={<span className="mono">{code}</span>}
      tab={code}
      back={{ to: '/stock', label: w.backTo }}
      description={stock.data && !isMissing && <Of item={stock.data} />}
    >
      {isMissing ? (
        <MissingStock key={code} code={code} />
      ) : (
        <Reading query={stock} lines={10}>
          {(item) => (
            <Stack gap="lg" key={code}>
              <div className="stock-item-top" data-alone={!canEdit}>
                <Formula item={item} />
                {canEdit && <ChangeStock item={item} look={() => stock.refetch()} />}
              </div>
              <Channels item={item} />
              <Holding code={code} />
              <Ledger code={code} />
            </Stack>
          )}
        </Reading>
      )}
    </Page>
  );
}

function Of({ item }: { item: StockDetail }) {
  const w = useWords(words);
  return (
    <>
      <Link to={path`/products/${item.product_code}`}>{item.product_name}</Link>
      {item.power !== null && (
        <>
          {' · '}
          <span className="stock-item-term">{w.power(item.power)}</span>
        </>
      )}
    </>
  );
}
