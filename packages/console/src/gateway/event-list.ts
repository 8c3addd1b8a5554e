/** Something that happened to an application. */
export interface Happened {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Each once, the newest first. Ids of events are digits that grow; where they are not, the one that came later is the newer. */
export function mergedEvents(...lists: readonly (readonly Happened[])[]): readonly Happened[] {
  const all = new Map<string, Happened>();
  for (const event of lists.flat()) if (!all.has(event.id)) all.set(event.id, event);
  return [...all.values()].reverse().sort((a, b) => b.timestamp - a.timestamp || byId(b.id, a.id));
}

const digits = /^\d{1,15}$/;
const byId = (a: string, b: string): number => (digits.test(a) && digits.test(b) ? Number(a) - Number(b) : 0);

/** How many of each type, the most frequent first, then by name. */
export function typesOf(
  events: readonly Happened[],
): readonly { readonly type: string; readonly count: number }[] {
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts]
    .map(([type, count]) => ({ type, count }))
    .sort((a, b) => b.count - a.count || a.type.localeCompare(b.type, 'en'));
}

/** All that was told of an event; what is empty says nothing, nor does the level that most events have. */
export const factsOf = ({ data }: Happened): readonly (readonly [name: string, value: string])[] =>
  Object.entries(data).flatMap(([name, value]) =>
    value === null || value === undefined || value === '' || (name === 'logLevel' && value === 'INFO')
      ? []
      : [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)] as const],
  );

const failures = new Set(['OperatorError', 'ContainerError']);

/** An operator or a container told an error, or a container ended with one. */
export const isFailure = ({ type, data }: Happened): boolean =>
  failures.has(type) || (type === 'StopContainer' && !['', '0'].includes(String(data['exitStatus'] ?? '')));

/**
 * What is shown while somebody reads further down: nothing that came after `newest`, the id of the first one then. It waits, so that
 * what is read does not move.
 */
export function heldAt(
  events: readonly Happened[],
  newest: string | undefined,
): { readonly shown: readonly Happened[]; readonly waiting: number } {
  const place = newest === undefined ? 0 : events.findIndex(({ id }) => id === newest);
  return place <= 0 ? { shown: events, waiting: 0 } : { shown: events.slice(place), waiting: place };
}
