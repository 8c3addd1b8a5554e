import { type RangeSearch, readRange } from '../../shell/time-range.js';

/** What the address of the events says: of which time, and of which types. */
export interface EventsSearch extends RangeSearch {
  /** Names with commas between them. */
  readonly type?: string;
}

export function readEventsSearch(search: Record<string, unknown>): EventsSearch {
  const { type } = search;
  return { ...readRange(search), ...(typeof type === 'string' && type !== '' ? { type } : {}) };
}

export const chosenTypes = ({ type }: EventsSearch): readonly string[] => type?.split(',') ?? [];
