import * as z from 'zod';
import { AlertHistoryItem } from './schema.js';

/** The sequence of what a build kept that did not count yet. */
export const notCounted = 0;

/** An activation that is over. */
export const HistoryEntry = z.object({
  item: AlertHistoryItem,
  /** Of the change that ended it, else of the one that began it: its mail may be sent later. */
  changeId: z.string().exactOptional(),
  /** Counted on over restarts, from 1: it tells apart what ended in the same millisecond. */
  sequence: z.number().default(notCounted),
});
export type HistoryEntry = z.output<typeof HistoryEntry>;
export type EndedActivation = Omit<HistoryEntry, 'sequence'>;

export interface AlertHistory {
  /** `dropped`: what is no longer remembered for it. */
  add(ended: EndedActivation): { readonly added: HistoryEntry; readonly dropped: HistoryEntry | undefined };
  /** Goes on with what an earlier start remembered. */
  restore(entries: readonly HistoryEntry[]): void;
  /** The mail about this change was sent. Returns what is different now. */
  sent(changeId: string): HistoryEntry[];
  /** What ended last first; of one owner when given. */
  list(owner?: string): AlertHistoryItem[];
}

/** `docs/decisions.md`, History of an owner: at most `perOwner` entries, so nobody pushes out another's. */
export function createAlertHistory(perOwner: number): AlertHistory {
  const owners = new Map<string, HistoryEntry[]>();
  let latest = 0;

  function remember(entry: HistoryEntry): HistoryEntry | undefined {
    const entries = owners.get(entry.item.owner) ?? [];
    owners.set(entry.item.owner, entries);
    entries.push(entry);
    latest = Math.max(latest, entry.sequence);
    return entries.length > perOwner ? entries.shift() : undefined;
  }

  return {
    add(ended) {
      const added = { ...ended, sequence: latest + 1 };
      return { added, dropped: remember(added) };
    },
    restore(entries) {
      for (const entry of entries.toSorted((a, b) => a.sequence - b.sequence)) remember(entry);
    },
    sent(changeId) {
      const changed = [...owners.values()].flat().filter((entry) => entry.changeId === changeId);
      for (const entry of changed) entry.item = { ...entry.item, emailSent: true };
      return changed;
    },
    list: (owner) =>
      (owner === undefined ? [...owners.values()].flat() : (owners.get(owner) ?? []))
        .toSorted((a, b) => b.item.outTime - a.item.outTime || b.sequence - a.sequence)
        .map(({ item }) => item),
  };
}
