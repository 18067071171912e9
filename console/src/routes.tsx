// All routes of the console: the pages of the screens. Each is loaded on first use.
import { Suspense } from 'react';
import { createBrowserRouter, Outlet, type RouteObject } from 'react-router';
import { Loading } from './components/states.tsx';
import { ConfirmHost } from './components/confirm.tsx';
import { Crash } from './layout/crash.tsx';
import { Layout } from './layout/layout.tsx';
import { NeedsRole, NeedsSession } from './layout/guards.tsx';
import { SessionEnded } from './layout/session-ended.tsx';
import { lazily } from './lazy.ts';
import type { ScreenPage } from './screen.ts';
import * as screens from './screens/index.ts';

/** The key makes the loading state appear immediately; otherwise the previous page stays until this one is loaded. */
function routeOf({ path, load, needs }: ScreenPage): RouteObject {
  const Page = lazily(load);
  const page = (
    <Suspense key={path} fallback={<Loading />}>
      <Page />
    </Suspense>
  );
  return { path, element: needs === undefined ? page : <NeedsRole role={needs}>{page}</NeedsRole> };
}

const pages = Object.values(screens).flatMap((screen) => screen.pages);

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
        ...pages.filter(({ isBare }) => isBare).map(routeOf),
        {
          element: (
            <NeedsSession>
              <Layout />
            </NeedsSession>
          ),
          children: [
            { errorElement: <Crash />, children: pages.filter(({ isBare }) => !isBare).map(routeOf) },
          ],
        },
      ],
    },
  ],
  { basename: '/console' },
);
