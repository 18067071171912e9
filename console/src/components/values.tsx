// How values are shown in cells and sentences.
import { Badge, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { STATUSES } from '../../../src/core/rules/transitions.ts';
import type { OrderStatus, Role } from '../api/types.ts';
import { common } from '../i18n/common.ts';
import { useFormat } from '../i18n/format.ts';
import { defineWords, useWords } from '../i18n/words.ts';

/** An amount as a decimal string, in its currency; KRW by default, in whole won, with the exact amount as a tooltip. */
export function Money({ amount, currency = 'KRW' }: { amount: string; currency?: string }) {
  const format = useFormat();
  const exact = format.money(amount, currency);
  const shown = currency === 'KRW' ? format.won(amount) : exact;
  return (
    <span className="num" {...(shown === exact ? {} : { title: exact })}>
      {shown}
    </span>
  );
}

/** An integer with digit grouping. */
export function Count({ n }: { n: number }) {
  const format = useFormat();
  return <span className="num">{format.integer(n)}</span>;
}

const TICK_MS = 30_000;

/** A time in the configured zone; `relative`: "3 minutes ago", with the full time on hover and focus. */
export function Time({ at, relative = false }: { at: string | null; relative?: boolean }) {
  const w = useWords(common);
  const format = useFormat();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    if (!relative) return undefined;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [relative]);
  if (at === null) return <span style={{ color: 'var(--mantine-color-dimmed)' }}>{w.never}</span>;
  const full = format.dateTime(at);
  return relative ? (
    <Tooltip label={`${full} (${format.zone})`}>
      <time dateTime={at} className="num">
        {format.relative(at, now)}
      </time>
    </Tooltip>
  ) : (
    <time dateTime={at} className="num">
      {full}
    </time>
  );
}

/** In the order in which an order passes through them. */
export const ORDER_STATUSES: readonly OrderStatus[] = STATUSES;

export const isOrderStatus = (value: unknown): value is OrderStatus =>
  ORDER_STATUSES.some((status) => status === value);

export const statusWords = defineWords({
  en: {
    s0: 'Awaiting payment',
    s1: 'Paid',
    s2: 'Preparing product',
    s9: 'Preparing shipment',
    s3: 'Shipped',
    s88: 'Cancelled',
  },
  ko: {
    s0: '결제 대기',
    s1: '결제 완료',
    s2: '상품 준비',
    s9: '배송 준비',
    s3: '출고 완료',
    s88: '취소',
  },
});

/** `const name = useStatusName(); name(9)` */
export function useStatusName(): (status: OrderStatus) => string {
  const w = useWords(statusWords);
  return (status) => w[`s${status}`];
}

const STATUS_COLORS: Record<OrderStatus, string> = {
  0: 'yellow',
  1: 'blue',
  2: 'indigo',
  9: 'violet',
  3: 'water',
  88: 'gray',
};

export function StatusBadge({ status }: { status: OrderStatus }) {
  const name = useStatusName();
  return <Tag color={STATUS_COLORS[status]}>{name(status)}</Tag>;
}

/** Looks like a Badge, but is one element without style resolution: for tables with thousands of rows. */
export const Tag = ({ color, children }: { color: string; children: string }) => (
  <span
    className="tag"
    style={{
      color: `var(--mantine-color-${color}-light-color)`,
      background: `var(--mantine-color-${color}-light)`,
    }}
  >
    {children}
  </span>
);

export function ActiveBadge({ isActive }: { isActive: boolean }) {
  const w = useWords(common);
  return <Badge color={isActive ? 'water' : 'gray'}>{isActive ? w.active : w.inactive}</Badge>;
}

export const ROLES: readonly Role[] = ['viewer', 'operator', 'admin'];

export function useRoleName(): (role: Role) => string {
  const w = useWords(common);
  const names: Record<Role, string> = { viewer: w.roleViewer, operator: w.roleOperator, admin: w.roleAdmin };
  return (role) => names[role];
}
