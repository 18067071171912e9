import { Title } from '@mantine/core';
import { ChevronLeft } from 'lucide-react';
import { useEffect, useRef, type MouseEvent, type ReactNode } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import './page.css';

interface PageProps {
  title: ReactNode;
  /** Title of the browser tab, needed if `title` is not plain text. */
  tab?: string;
  description?: ReactNode;
  /** Buttons at the top right. */
  actions?: ReactNode;
  /** Link above the title to the parent screen. */
  back?: { to: string; label: string };
  children: ReactNode;
}

/** The last filters of each screen: the link back to a list restores them. */
const searches = new Map<string, string>();

/** By key of a history entry: the address of the previous entry. */
const cameFrom = new Map<string, string | null>();
let shown: { key: string; pathname: string; address: string } | null = null;

/** Path of the last focused heading. On the first page of a visit the focus stays where the browser put it. */
let announced: string | null = null;

/** The frame of every screen: heading, tab title, and focus on the heading after navigation. */
export function Page({ title, tab, description, actions, back, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key, pathname, search } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    searches.set(pathname, search);
    // Changing a filter or a tab replaces the history entry.
    const isReplaced = shown?.pathname === pathname;
    const before = isReplaced ? cameFrom.get(shown?.key ?? '') : shown?.address;
    if (!cameFrom.has(key)) cameFrom.set(key, before ?? null);
    shown = { key, pathname, address: `${pathname}${search}` };
  }, [key, pathname, search]);
  const target = back && `${back.to}${searches.get(back.to) ?? ''}`;
  // Same as the browser's Back, which also restores the scroll position of a long list.
  const goBack = (event: MouseEvent) => {
    const isPlain = event.button === 0 && !(event.ctrlKey || event.metaKey || event.shiftKey || event.altKey);
    if (!isPlain || cameFrom.get(key) !== target) return;
    event.preventDefault();
    void navigate(-1);
  };
  useEffect(() => {
    if (announced !== null && announced !== pathname) heading.current?.focus({ preventScroll: true });
    announced = pathname;
  }, [pathname]);

  const text = tab ?? (typeof title === 'string' ? title : '');
  return (
    <>
      <title>{text === '' ? 'Sluice' : `${text} · Sluice`}</title>
      <div className="page-head">
        <div className="page-words">
          {back && target !== undefined && (
            <Link className="page-back" to={target} onClick={goBack}>
              <ChevronLeft size={15} aria-hidden />
              {back.label}
            </Link>
          )}
          <Title order={1} ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {description !== undefined && <p className="page-description">{description}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </>
  );
}
