import { useLocation } from 'react-router';

/** The code at the end of the address: /stock/%ED%95%9C → 한. The router's own params would read %252F as a slash. */
export function usePathCode(): string {
  const { pathname } = useLocation();
  const text = pathname.replace(/\/$/, '').split('/').at(-1) ?? '';
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a malformed URL, typed by hand
  }
}
