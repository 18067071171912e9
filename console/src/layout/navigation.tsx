import {
  ArrowLeftRight,
  Bell,
  Boxes,
  ChartNoAxesColumn,
  CircleX,
  CloudDownload,
  Coins,
  History,
  Hourglass,
  KeyRound,
  Package,
  ReceiptText,
  Split,
  Store,
  Truck,
  Users,
  Webhook,
  type LucideIcon,
} from 'lucide-react';
import { NavLink } from 'react-router';
import { useCan, useSession } from '../api/session.ts';
import { useWords } from '../i18n/words.ts';
import { words } from './words.ts';

interface Item {
  to: string;
  icon: LucideIcon;
  label: string;
  isHidden?: boolean;
}

interface Section {
  title: string | null;
  items: Item[];
}

/** The menu entries: the screens that the user may open. */
export function useScreens(): Section[] {
  const w = useWords(words);
  const isAdmin = useCan('admin');
  const isOperator = useCan('operator');
  const sections: Section[] = [
    { title: null, items: [{ to: '/', icon: ChartNoAxesColumn, label: w.overview }] },
    {
      title: w.sell,
      items: [
        { to: '/orders', icon: ReceiptText, label: w.orders },
        { to: '/refusals', icon: CircleX, label: w.refusals },
        { to: '/backorders', icon: Hourglass, label: w.backorders },
        { to: '/channels', icon: Store, label: w.channels },
        { to: '/mappings', icon: ArrowLeftRight, label: w.mappings },
      ],
    },
    {
      title: w.goods,
      items: [
        { to: '/products', icon: Package, label: w.products },
        { to: '/register', icon: CloudDownload, label: w.register, isHidden: !isOperator },
        { to: '/stock', icon: Boxes, label: w.stock },
        { to: '/allocations', icon: Split, label: w.allocations },
      ],
    },
    {
      title: w.settings,
      items: [
        { to: '/exchange-rates', icon: Coins, label: w.rates },
        { to: '/couriers', icon: Truck, label: w.couriers },
        { to: '/webhooks', icon: Webhook, label: w.webhooks },
        { to: '/alerts', icon: Bell, label: w.alerts },
      ],
    },
    {
      title: w.people,
      items: [
        { to: '/users', icon: Users, label: w.users, isHidden: !isAdmin },
        { to: '/tokens', icon: KeyRound, label: w.tokens, isHidden: !isAdmin },
        { to: '/audit', icon: History, label: w.audit },
      ],
    },
  ];
  return sections.map(({ title, items }) => ({
    title,
    items: items.filter(({ isHidden }) => isHidden !== true),
  }));
}

export function Navigation() {
  return useScreens().map(({ title, items }) => (
    <div key={title ?? ''}>
      {title !== null && <p className="nav-title">{title}</p>}
      <ul className="nav-group">
        {items.map(({ to, icon: Icon, label }) => (
          <li key={to}>
            <NavLink to={to} end={to === '/'} className="nav-link">
              <Icon size={17} strokeWidth={1.8} aria-hidden />
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </div>
  ));
}

export function NavigationFoot() {
  const w = useWords(words);
  const session = useSession();
  if (session === null) return null;
  return (
    <div className="nav-foot">
      {w.zone(session.timezone)}
      <br />
      {w.version(session.version)}
    </div>
  );
}
