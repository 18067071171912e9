import { Title } from '@mantine/core';
import { ChevronLeft } from 'lucide-react';
import { useEffect, useRef, type MouseEvent, type ReactNode } from 'react';
import { Link, useLocation, useNavigate } from 'react-router';
import './page.css';

interface PageProps {
  title: ReactNode;
  /** Of the browser's tab, where `title` is not plain text. */
  tab?: string;
  description?: ReactNode;
  /** Buttons at the top right. */
  actions?: ReactNode;
  /** Where the thing belongs: a link above the title. */
  back?: { to: string; label: string };
  children: ReactNode;
}

/** The filters with which each screen was last seen: the link back to a list keeps them. */
const searches = new Map<string, string>();

/** By the key of an entry of the history: the address of the entry before it. */
const cameFrom = new Map<string, string | null>();
let shown: { key: string; pathname: string; address: string } | null = null;

/** Whose heading was focused last; the first page of a visit keeps the focus where the browser put it. */
let announced: string | null = null;

/** The frame of every screen: heading, title of the tab, and focus on the heading after a navigation. */
export function Page({ title, tab, description, actions, back, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { key, pathname, search } = useLocation();
  const navigate = useNavigate();
  useEffect(() => {
    searches.set(pathname, search);
    // A filter or a tab replaces the entry.
    const isReplaced = shown?.pathname === pathname;
    const before = isReplaced ? cameFrom.get(shown?.key ?? '') : shown?.address;
    if (!cameFrom.has(key)) cameFrom.set(key, before ?? null);
    shown = { key, pathname, address: `${pathname}${search}` };
  }, [key, pathname, search]);
  const target = back && `${back.to}${searches.get(back.to) ?? ''}`;
  // As the browser's Back, which also keeps the place in a long list.
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
