// The frame of the console: header, navigation, content.
import { AppShell, Burger, Group, ScrollArea, Text } from '@mantine/core';
import { useDisclosure, useMediaQuery } from '@mantine/hooks';
import { useEffect } from 'react';
import { Link, Outlet, ScrollRestoration, useLocation } from 'react-router';
import { UnsavedGuard } from '../components/unsaved.tsx';
import { useWords } from '../i18n/words.ts';
import { AccountMenu } from './account-menu.tsx';
import { AwayBanner } from './away.tsx';
import { AlertBell } from './bell.tsx';
import './layout.css';
import { Logo } from './logo.tsx';
import { Navigation, NavigationFoot } from './navigation.tsx';
import { useKeptFocus } from './kept-focus.ts';
import { PaletteButton } from './palette-button.tsx';
import { LanguageSwitch, SchemeSwitch } from './switches.tsx';
import { words } from './words.ts';

const HEADER_PX = 56;
const NAV_PX = 224;

export function Layout() {
  const w = useWords(words);
  const [isOpen, { toggle, close }] = useDisclosure();
  const { pathname } = useLocation();
  useKeptFocus();
  const isWide = useMediaQuery('(min-width: 62em)', true, { getInitialValueInEffect: false });
  useEffect(close, [pathname, close]);
  // On a phone the menu covers the page.
  const isOver = !isWide && isOpen;
  useEffect(() => {
    if (!isOver) return undefined;
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') close();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [isOver, close]);

  return (
    <>
      <a className="skip-link" href="#content">
        {w.skip}
      </a>
      <AppShell
        layout="alt"
        header={{ height: HEADER_PX }}
        navbar={{ width: NAV_PX, breakpoint: 'md', collapsed: { mobile: !isOpen } }}
        padding={{ base: 'sm', sm: 'lg' }}
        transitionDuration={120}
      >
        <AppShell.Header className="shell-head">
          <Group h="100%" px={{ base: 'sm', sm: 'md' }} gap="xs" wrap="nowrap">
            <Burger
              opened={isOpen}
              onClick={toggle}
              hiddenFrom="md"
              size="sm"
              aria-label={w.menu}
              aria-expanded={isOpen}
            />
            <Link to="/" className="shell-brand mantine-hidden-from-md" aria-label="Sluice">
              <Logo size={24} />
              <Text span inherit visibleFrom="sm">
                Sluice
              </Text>
            </Link>
            <Group gap={4} ml="auto" wrap="nowrap">
              <PaletteButton />
              <AlertBell />
              <LanguageSwitch />
              <SchemeSwitch />
              <AccountMenu />
            </Group>
          </Group>
        </AppShell.Header>
        {/* Not reachable by Tab while the menu is closed. */}
        <AppShell.Navbar className="shell-nav" aria-label={w.navigation} inert={!isWide && !isOpen}>
          <Group justify="space-between" wrap="nowrap" pr="md">
            <Link to="/" className="shell-brand nav-brand">
              <Logo />
              Sluice
            </Link>
            <Burger
              opened
              onClick={close}
              hiddenFrom="md"
              size="sm"
              color="#fff"
              aria-label={w.menu}
              aria-expanded
            />
          </Group>
          <AppShell.Section grow component={ScrollArea} type="auto">
            <Navigation />
          </AppShell.Section>
          <NavigationFoot />
        </AppShell.Navbar>
        <AppShell.Main id="content" tabIndex={-1}>
          <AwayBanner />
          <div className="shell-main">
            <Outlet />
          </div>
        </AppShell.Main>
      </AppShell>
      <UnsavedGuard />
      <ScrollRestoration />
    </>
  );
}
