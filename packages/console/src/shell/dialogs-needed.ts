import { useEffect } from 'react';
import { createStore } from '../gateway/store.js';

/** Whether dialogs and notices are to be loaded: the first screen needs none, so they come with the first thing that somebody does. */
export const dialogsNeeded = createStore(false);

export const needDialogs = (): void => dialogsNeeded.set(true);

/** Loads them when somebody begins to do something, before it is known whether it needs one. */
export function useDialogsAtFirstAct(): void {
  useEffect(() => {
    const kinds = ['pointerdown', 'keydown'] as const;
    const given = { capture: true, once: true };
    for (const kind of kinds) addEventListener(kind, needDialogs, given);
    return () => {
      for (const kind of kinds) removeEventListener(kind, needDialogs, given);
    };
  }, []);
}
