import { useCallback, useState } from 'react';

const place = (key: string) => `headgate-draft ${key}`;

/**
 * Something that is being typed: it survives a reload, a login in between and a page that is left, in this tab. `undefined`: there is
 * none. `discard` when it was sent.
 */
export function useDraft<T>(key: string): {
  readonly draft: T | undefined;
  setDraft(value: T): void;
  discard(): void;
} {
  const [draft, set] = useState<T | undefined>(() => readDraft<T>(key));
  const setDraft = useCallback(
    (value: T) => {
      set(value);
      try {
        sessionStorage.setItem(place(key), JSON.stringify(value));
      } catch {
        // Full, or switched off: it lives as long as the page.
      }
    },
    [key],
  );
  const discard = useCallback(() => {
    set(undefined);
    sessionStorage.removeItem(place(key));
  }, [key]);
  return { draft, setDraft, discard };
}

function readDraft<T>(key: string): T | undefined {
  try {
    const kept = sessionStorage.getItem(place(key));
    return kept === null ? undefined : (JSON.parse(kept) as T);
  } catch {
    return undefined;
  }
}
