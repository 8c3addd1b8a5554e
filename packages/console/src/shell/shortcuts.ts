import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { usePreferences } from '../gateway/preferences.js';
import { rail } from './rail.js';

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName));

/** `/` goes to the filter of the page, `g` and a letter to a place of the menu. Off by the user's setting. */
export function useShortcuts(): void {
  const { shortcuts } = usePreferences();
  const navigate = useNavigate();
  useEffect(() => {
    if (!shortcuts) return;
    let went = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (event.key === '/') {
        const filter = document.querySelector<HTMLInputElement>('[data-filter]');
        if (!filter) return;
        event.preventDefault();
        filter.focus();
        return;
      }
      const entry = event.timeStamp - went < 1000 ? rail.find(({ key }) => key === event.key) : undefined;
      went = event.key === 'g' ? event.timeStamp : 0;
      if (entry) void navigate({ to: entry.to });
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [shortcuts, navigate]);
}
