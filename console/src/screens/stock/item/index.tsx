// One item: the formula with its numbers, the channels, the orders that hold stock, and all movements.
import { Badge, Tabs } from '@mantine/core';
import { Link } from 'react-router';
import { ApiError } from '../../../api/error.ts';
import { useGet } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { path } from '../../../api/request.ts';
import { useCan } from '../../../api/session.ts';
import type { StockDetail } from '../../../api/types.ts';
import { Page, Reading, usePathCode, useUrlState } from '../../../components/index.ts';
import { common } from '../../../i18n/common.ts';
import { useWords } from '../../../i18n/words.ts';
import { ChangeStock } from './change-stock.tsx';
import { Channels } from './channels.tsx';
import { Details } from './details.tsx';
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
            <div className="stock-item-grid" data-alone={!canEdit} key={code}>
              <Formula item={item} />
              {canEdit && <ChangeStock item={item} look={() => stock.refetch()} />}
              <Sections item={item} />
            </div>
          )}
        </Reading>
      )}
    </Page>
  );
}

const SECTIONS = ['channels', 'holding', 'ledger', 'details'] as const;

/** The rest of the page as tabs; the active tab is in the URL. */
function Sections({ item }: { item: StockDetail }) {
  const w = useWords(words);
  const [url, setUrl] = useUrlState({ tab: 'channels' });
  const tab = SECTIONS.find((name) => name === url.tab) ?? 'channels';
  return (
    <Tabs
      className="stock-item-sections"
      value={tab}
      onChange={(next) => setUrl({ tab: next ?? 'channels' })}
      keepMounted={false}
      // By default a hidden panel loses its effects, and with them the warning about unsaved input.
      keepMountedMode="display-none"
    >
      <Tabs.List aria-label={w.sections} mb="sm">
        {SECTIONS.map((name) => (
          <Tabs.Tab key={name} value={name}>
            {w[name]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="channels">
        <Channels item={item} />
      </Tabs.Panel>
      <Tabs.Panel value="holding">
        <Holding code={item.variant_code} />
      </Tabs.Panel>
      <Tabs.Panel value="ledger">
        <Ledger code={item.variant_code} />
      </Tabs.Panel>
      {/* Kept mounted, so that input is still there when the user comes back to the tab. */}
      <Tabs.Panel value="details" keepMounted>
        <Details item={item} />
      </Tabs.Panel>
    </Tabs>
  );
}

function Of({ item }: { item: StockDetail }) {
  const w = useWords(words);
  const c = useWords(common);
  return (
    <>
      <Link to={path`/products/${item.product_code}`}>{item.product_name}</Link>
      {item.power !== null && (
        <>
          {' · '}
          <span className="stock-item-term">{w.power(item.power)}</span>
        </>
      )}
      {Object.values(item.attributes).map((text) => (
        <span key={text}>{` · ${text}`}</span>
      ))}
      {item.barcode !== null && <span className="mono">{` · ${item.barcode}`}</span>}
      {item.low_stock_at !== null && item.common_available <= item.low_stock_at && (
        <Badge color="orange" ml="xs">
          {w.low}
        </Badge>
      )}
      {item.archived && (
        <Badge color="gray" ml="xs">
          {c.archived}
        </Badge>
      )}
    </>
  );
}
