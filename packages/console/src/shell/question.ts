import { createStore } from '../gateway/store.js';
import { needDialogs } from './dialogs-needed.js';

export interface Question {
  /** Names the object: `Kill clicks-eu?` */
  readonly title: string;
  readonly text?: string;
  /** What depends on it, a line each. */
  readonly effects?: readonly string[];
  /** The verb, on the button. */
  readonly verb: string;
  readonly isDangerous?: boolean;
  /** Has to be typed first: for what can't be undone. */
  readonly typed?: string;
  /** Another way to do it, which may be chosen. */
  readonly choice?: { readonly label: string; readonly hint: string };
  /** The dialog stays and shows the error where it rejects, and closes when it resolves. */
  act(isChosen: boolean): Promise<unknown>;
}

export const asked = createStore<Question | undefined>(undefined);

/** Asks before something is done that can't be taken back lightly. */
export function confirm(question: Question): void {
  needDialogs();
  asked.set(question);
}
