import { createContext, useContext, useSyncExternalStore } from 'react';
import { createStore, type Store } from '../../gateway/store.js';

/** Ids of the nodes and edges that are selected: a store, so that a selection draws two nodes and not six hundred. */
type Highlight = Store<ReadonlySet<string>>;

export const noHighlight: ReadonlySet<string> = new Set();
export const createHighlight = (): Highlight => createStore(noHighlight);

export const HighlightContext = createContext<Highlight>(createHighlight());

export function useIsSelected(id: string): boolean {
  const store = useContext(HighlightContext);
  return useSyncExternalStore(store.subscribe, () => store.get().has(id));
}
