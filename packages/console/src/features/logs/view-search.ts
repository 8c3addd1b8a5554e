import { isLevel, type Level } from './levels.js';

/** What the address of a log says: where somebody looks, what is searched, what is shown. Without a place: its end, followed. */
export interface ViewSearch {
  /** `byte:734003200`. */
  readonly at?: string;
  /** A regular expression (RE2). */
  readonly q?: string;
  /** This level and worse ones. */
  readonly level?: Level;
}

const place = /^byte:(\d{1,15})$/;

export function readViewSearch(search: Record<string, unknown>): ViewSearch {
  const { at, q, level } = search;
  return {
    ...(typeof at === 'string' && place.test(at) ? { at } : {}),
    ...(typeof q === 'string' && q !== '' ? { q } : typeof q === 'number' ? { q: String(q) } : {}),
    ...(isLevel(level) ? { level } : {}),
  };
}

export const placeOf = (offset: number): string => `byte:${offset}`;

export function offsetOf(at: string | undefined): number | undefined {
  const found = place.exec(at ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}
