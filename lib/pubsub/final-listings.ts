import type { Clock } from '../interfaces/clock.js';
import { mapLimited } from '../runtime/map-limited.js';
import type { LastEntries } from './topic.js';
import type { FoundTopic } from './topic-table.js';

/** What a topic says now. */
export interface ListingReading {
  /** `undefined`: nothing. */
  readonly data: unknown;
  /** The list without what has ended, where `data` names that. */
  readonly lasting: unknown;
  /** What has ended, where `data` names that. */
  readonly lastEntries?: LastEntries;
  /** Call it when that was published: what has ended is named once. */
  told(): void;
}

/**
 * Reads topics, and names entries of lists once more, with their end state, that are not in the list any more. What a list
 * held is remembered beyond its last listener: who unsubscribes for a while, or reads again after the source was down, hears
 * of what ended meanwhile too.
 */
interface FinalListings {
  read(name: string, found: FoundTopic, signal: AbortSignal): Promise<ListingReading>;
}

/** Lists that are remembered, and for how long after their last reading, in milliseconds. */
const most = { lists: 1000, millis: 600_000 };
const asksAtOnce = 16;

type Parts = ReadonlyMap<string, unknown>;

export function createFinalListings({ clock }: { clock: Clock }): FinalListings {
  const known = new Map<string, { readonly parts: Parts; readonly at: number }>();

  function remember(name: string, parts: Parts): void {
    known.delete(name);
    if (parts.size > 0) known.set(name, { parts, at: clock.monotonic() });
    const [oldest] = known.keys();
    if (known.size > most.lists && oldest !== undefined) known.delete(oldest);
  }

  function heldBefore(name: string): Parts {
    const found = known.get(name);
    return found && clock.monotonic() - found.at < most.millis ? found.parts : new Map();
  }

  return {
    async read(name, { topic, service, params }, signal) {
      const { listing } = topic;
      const read = async () => topic.read?.(service, { params, signal });
      if (!listing) {
        const data = await read();
        return { data, lasting: data, told() {} };
      }
      let failure: { readonly error: unknown } | undefined;
      const now = await read().catch((error: unknown) => {
        failure = { error };
      });
      const parts: Parts = now === undefined ? new Map() : listing.split(now);
      const gone = [...heldBefore(name)].filter(([id]) => !parts.has(id));
      const lastEntries = new Map<string, unknown>();
      /** Where nobody can tell yet. */
      const open = new Map<string, unknown>();
      /** Where the end has been told. */
      const over = new Map<string, unknown>();
      await mapLimited(gone, asksAtOnce, async ([id, part]) => {
        try {
          const endState = await listing.ended(service, part, {
            params,
            signal,
            isListRead: now !== undefined,
          });
          if (endState === undefined) over.set(id, part);
          else lastEntries.set(id, endState);
        } catch {
          open.set(id, part);
        }
      });
      if (failure && lastEntries.size === 0) throw failure.error;
      // Of a list that can't be read all is told that is known, so that who keeps the newest only misses nothing.
      const held: Parts = now === undefined ? new Map([...over, ...open]) : new Map([...open, ...parts]);
      const told = () => {
        if (now !== undefined || gone.length > 0) remember(name, held);
      };
      if (lastEntries.size === 0) return { data: now, lasting: now, told };
      const present = now === undefined ? [...held.values()] : [now];
      const data = listing.join([...present, ...lastEntries.values()]);
      return { data, lasting: listing.join(present), lastEntries, told };
    },
  };
}
