// All routes of the console. A screen is a folder with a default export, loaded on first use.
import { Suspense, type ComponentType, type ReactNode } from 'react';
import { createBrowserRouter, Outlet, type RouteObject } from 'react-router';
import { Loading } from './components/states.tsx';
import { ConfirmHost } from './components/confirm.tsx';
import { Crash } from './layout/crash.tsx';
import { Layout } from './layout/layout.tsx';
import { NeedsRole, NeedsSession } from './layout/guards.tsx';
import { SessionEnded } from './layout/session-ended.tsx';
import { lazily } from './lazy.ts';
import NotFound from './screens/not-found/index.tsx';

type Module = Promise<{ default: ComponentType }>;

function screen(path: string, load: () => Module): RouteObject {
  const Screen = lazily(load);
  return { path, element: settled(path, <Screen />) };
}

/** The key makes the loading state appear immediately; otherwise the previous screen stays until this one is loaded. */
const settled = (key: string, what: ReactNode) => (
  <Suspense key={key} fallback={<Loading />}>
    {what}
  </Suspense>
);

const screens: RouteObject[] = [
  screen('/', () => import('./screens/overview/index.tsx')),
  screen('/channels', () => import('./screens/channels/index.tsx')),
  screen('/channels/:id', () => import('./screens/channels/channel/index.tsx')),
  screen('/products', () => import('./screens/products/index.tsx')),
  screen('/register', () => import('./screens/register/index.tsx')),
  screen('/products/:code', () => import('./screens/products/product/index.tsx')),
  screen('/mappings', () => import('./screens/mappings/index.tsx')),
  screen('/stock', () => import('./screens/stock/index.tsx')),
  screen('/stock/:code', () => import('./screens/stock/item/index.tsx')),
  screen('/allocations', () => import('./screens/allocations/index.tsx')),
  screen('/orders', () => import('./screens/orders/index.tsx')),
  screen('/orders/:id', () => import('./screens/orders/order/index.tsx')),
  screen('/refusals', () => import('./screens/refusals/index.tsx')),
  screen('/backorders', () => import('./screens/backorders/index.tsx')),
  screen('/exchange-rates', () => import('./screens/exchange-rates/index.tsx')),
  screen('/couriers', () => import('./screens/couriers/index.tsx')),
  screen('/account', () => import('./screens/account/index.tsx')),
  screen('/audit', () => import('./screens/audit/index.tsx')),
  screen('/alerts', () => import('./screens/alerts/index.tsx')),
  screen('/webhooks', () => import('./screens/webhooks/index.tsx')),
  screen('/webhooks/:id', () => import('./screens/webhooks/webhook/index.tsx')),
  {
    element: <NeedsRole role="operator" />,
    children: [screen('/packing', () => import('./screens/packing/index.tsx'))],
  },
  {
    element: <NeedsRole role="admin" />,
    children: [
      screen('/users', () => import('./screens/users/index.tsx')),
      screen('/tokens', () => import('./screens/tokens/index.tsx')),
    ],
  },
  { path: '*', element: <NotFound /> },
];

export const router = createBrowserRouter(
  [
    {
      element: (
        <>
          <Outlet />
          <ConfirmHost />
          <SessionEnded />
        </>
      ),
      errorElement: <Crash />,
      children: [
        screen('/sign-in', () => import('./screens/sign-in/index.tsx')),
        screen('/second-factor', () => import('./screens/second-factor/index.tsx')),
        screen('/change-password', () => import('./screens/change-password/index.tsx')),
        {
          element: (
            <NeedsSession>
              <Layout />
            </NeedsSession>
          ),
          children: [{ errorElement: <Crash />, children: screens }],
        },
      ],
    },
  ],
  { basename: '/console' },
);
