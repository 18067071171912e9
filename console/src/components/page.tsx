import { Title } from '@mantine/core';
import { ChevronLeft } from 'lucide-react';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'react-router';
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

/** Whose heading was focused last; the first page of a visit keeps the focus where the browser put it. */
let announced: string | null = null;

/** The frame of every screen: heading, title of the tab, and focus on the heading after a navigation. */
export function Page({ title, tab, description, actions, back, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const { pathname, search } = useLocation();
  useEffect(() => void searches.set(pathname, search), [pathname, search]);
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
          {back && (
            <Link className="page-back" to={`${back.to}${searches.get(back.to) ?? ''}`}>
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
