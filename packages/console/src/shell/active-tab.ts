import { useLocation } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef } from 'react';

/** For a line of links that is wider than a small screen: the one where somebody is stands in view. */
export function useActiveTabInView<E extends HTMLElement>(): RefObject<E | null> {
  const line = useRef<E>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another active link.
  useEffect(() => {
    line.current
      ?.querySelector('[data-status="active"]')
      ?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [pathname]);
  return line;
}
