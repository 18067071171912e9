import { Badge, Button, Paper, Text, Title } from '@mantine/core';
import { CircleCheck, CircleDashed, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useGet } from '../../../api/query.ts';
import { apiPath } from '../../../api/address.ts';
import { useCan } from '../../../api/session.ts';
import type { Channel, ChecklistItem } from '../../../api/types.ts';
import { Reading } from '../../../components/index.ts';
import { useFormat } from '../../../i18n/format.ts';
import { useWords } from '../../../i18n/words.ts';
import { useNameOf } from '../country.tsx';
import { useSwitch } from './access.tsx';
import { words } from './words.ts';

const REFRESH_MS = 10_000;
export const COUNTRY_FIELD = 'channel-country';

/** What the channel needs before it can sell; each missing point has a link to add it. */
export function Checklist({ channel }: { channel: Channel }) {
  const w = useWords(words);
  const checklist = useGet(
    apiPath('/channels/{id}/checklist', { id: channel.id }),
    {},
    { everyMs: REFRESH_MS },
  );
  return (
    <Paper component="section" aria-labelledby="channel-checklist">
      <Title order={2} id="channel-checklist">
        {w.checklist}
      </Title>
      <Reading query={checklist}>
        {({ items }) => {
          const missing = items.filter(({ ok }) => !ok).length;
          return (
            <>
              <Text size="sm" c="dimmed" mb="xs">
                {missing === 0 ? w.ready : w.notReady(missing)}
              </Text>
              <ul className="channel-checklist">
                {items.map((item) => (
                  <Item key={item.key} item={item} channel={channel} />
                ))}
              </ul>
            </>
          );
        }}
      </Reading>
    </Paper>
  );
}

const ICONS = {
  done: <CircleCheck size={20} color="var(--good)" aria-hidden />,
  missing: <TriangleAlert size={20} color="var(--warn)" aria-hidden />,
  warning: <TriangleAlert size={20} color="var(--warn)" aria-hidden />,
  optional: <CircleDashed size={20} color="var(--mantine-color-dimmed)" aria-hidden />,
};
const COLORS = { done: 'water', missing: 'yellow', warning: 'yellow', optional: 'gray' };

function Item({ item, channel }: { item: ChecklistItem; channel: Channel }) {
  const w = useWords(words);
  const { title, text, action } = usePrerequisite(item, channel);
  return (
    <li>
      {ICONS[item.state]}
      <div className="channel-item-words">
        <div className="channel-item-head">
          <b>{title}</b>
          <Badge size="sm" color={COLORS[item.state]}>
            {w[item.state]}
          </Badge>
        </div>
        {text !== '' && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
        {action}
      </div>
    </li>
  );
}

interface Prerequisite {
  title: string;
  text: string;
  action?: ReactNode;
}

function usePrerequisite(item: ChecklistItem, channel: Channel): Prerequisite {
  const w = useWords(words);
  const format = useFormat();
  const regionName = useNameOf('region');
  const currencyName = useNameOf('currency');
  const isAdmin = useCan('admin');
  const change = useSwitch(channel);
  switch (item.key) {
    case 'active':
      return {
        title: w.active,
        text: item.ok ? '' : channel.archived ? w.archivedText : w.activeMissing,
        action: !item.ok && isAdmin && !channel.archived && (
          <Button size="compact-sm" variant="default" mt={6} loading={change.isPending} onClick={change.ask}>
            {w.activate}
          </Button>
        ),
      };
    case 'country': {
      const { country_code, currency_code } = item.detail;
      return {
        title: w.country,
        text:
          country_code === null
            ? w.countryMissing
            : w.countryIs(regionName(country_code), `${currencyName(currency_code)} (${currency_code})`),
        action: !item.ok && isAdmin && (
          <Button
            size="compact-sm"
            variant="default"
            mt={6}
            onClick={() => document.querySelector<HTMLElement>(`#${COUNTRY_FIELD}`)?.focus()}
          >
            {w.countrySet}
          </Button>
        ),
      };
    }
    case 'mappings': {
      const { mapped, unmapped_asked } = item.detail;
      const count = format.integer(mapped);
      const text =
        unmapped_asked > 0
          ? w.mappedAsked(count, format.integer(unmapped_asked))
          : mapped > 0
            ? w.mappedIs(count)
            : w.mappedNone;
      const to = `/mappings?channel=${channel.id}${unmapped_asked > 0 ? '&tab=asked' : ''}`;
      const label = unmapped_asked > 0 ? w.mapAsked : w.mapThem;
      return { title: w.mapped, text, action: !item.ok && <Way to={to} label={label} /> };
    }
    case 'allocations': {
      const isSet = item.detail.configured > 0;
      return {
        title: w.allocated,
        text: isSet ? w.allocatedIs(format.integer(item.detail.configured)) : w.allocatedNone,
        action: (
          <Way to={`/allocations?channel=${channel.id}`} label={isSet ? w.showAllocations : w.allocate} />
        ),
      };
    }
    case 'exchange_rate': {
      const { currency_code, base, rate, effective_at } = item.detail;
      const text = base
        ? w.rateBase
        : rate === null || effective_at === null
          ? w.rateMissing(currency_code)
          : w.rateIs(currency_code, format.decimal(rate), format.date(effective_at));
      const to = `/exchange-rates?currency_code=${currency_code}`;
      return { title: w.rate, text, action: !item.ok && <Way to={to} label={w.addRate} /> };
    }
    case 'api_url': {
      const texts = {
        none: w.transportNone,
        encrypted: '',
        plain: w.transportPlain,
        plain_private: w.transportPrivate,
      };
      return { title: w.transport, text: texts[item.detail.transport] };
    }
    case 'order_number_prefix': {
      const { order_number_prefix: prefix, shared_with } = item.detail;
      const others = shared_with.join(', ');
      if (prefix === null)
        return { title: w.prefix, text: others === '' ? w.prefixNone : w.prefixNoneOf(others) };
      return { title: w.prefix, text: others === '' ? w.prefixIs(prefix) : w.prefixShared(prefix, others) };
    }
  }
}

const Way = ({ to, label }: { to: string; label: string }) => (
  <Link to={to} className="channel-way">
    {label}
  </Link>
);
