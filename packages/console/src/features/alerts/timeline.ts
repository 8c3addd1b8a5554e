import type { AlertRow, Ended } from './rows.js';
import type { HistorySearch, Period } from './searches.js';

export interface Entry {
  readonly name: string;
  readonly owner: string;
  readonly inTime: number;
  /** Absent while it goes on. */
  readonly outTime?: number;
  readonly message: string;
  readonly emailSent: boolean;
}

interface Day {
  /** `2026-11-26`. */
  readonly date: string;
  readonly entries: readonly Entry[];
}

type Active = AlertRow & {
  readonly owner: string;
  readonly alertStatus: { readonly emailSent: boolean };
};
type Over = Ended & { readonly owner: string; readonly message: string; readonly emailSent: boolean };

const hour = 60 * 60_000;
const millisOf: Readonly<Record<Period, number>> = { hour, day: 24 * hour, week: 7 * 24 * hour };

/** What goes on and what is over, the latest beginning first. */
export function entriesOf(alerts: readonly Active[], history: readonly Over[]): readonly Entry[] {
  const active = alerts.flatMap(({ name, owner, alertStatus: { isInAlert, inTime, message, emailSent } }) =>
    isInAlert && inTime !== undefined ? [{ name, owner, inTime, message, emailSent }] : [],
  );
  return [...active, ...history].toSorted((one, other) => other.inTime - one.inTime);
}

/** Those that fit, of what reaches into the period that ends `now`. */
export function shownEntries(
  entries: readonly Entry[],
  { q = '', period }: HistorySearch,
  now: number,
): readonly Entry[] {
  const wanted = q.trim().toLocaleLowerCase();
  const since = period === undefined ? Number.NEGATIVE_INFINITY : now - millisOf[period];
  return entries.filter(
    ({ name, message, outTime = now }) =>
      outTime >= since &&
      (name.toLocaleLowerCase().includes(wanted) || message.toLocaleLowerCase().includes(wanted)),
  );
}

/** In the order given; `dateOf` tells the date of a moment where the user's clock is. */
export function daysOf(entries: readonly Entry[], dateOf: (epochMillis: number) => string): readonly Day[] {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const date = dateOf(entry.inTime);
    const there = days.get(date);
    if (there) there.push(entry);
    else days.set(date, [entry]);
  }
  return [...days].map(([date, inside]) => ({ date, entries: inside }));
}
