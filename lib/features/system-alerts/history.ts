import { z } from 'zod';
import { AlertHistoryItem } from './schema.js';

/** An activation that is over. */
export const HistoryEntry = z.object({
  item: AlertHistoryItem,
  /** Of the change that ended it, else of the one that began it: its mail may be sent later. */
  changeId: z.string().exactOptional(),
});
export type HistoryEntry = z.output<typeof HistoryEntry>;

export interface AlertHistory {
  /** Returns what is no longer remembered for it. */
  add(entry: HistoryEntry): HistoryEntry | undefined;
  /** The mail about this change was sent. Returns what is different now. */
  sent(changeId: string): HistoryEntry[];
  /** The newest first; of one owner when given. */
  list(owner?: string): AlertHistoryItem[];
}

/** Each owner has at most `perOwner` (`resolved-gaps.md` G25), so nobody pushes out another's. */
export function createAlertHistory(perOwner: number): AlertHistory {
  const owners = new Map<string, HistoryEntry[]>();
  return {
    add(entry) {
      const entries = owners.get(entry.item.owner) ?? [];
      owners.set(entry.item.owner, entries);
      entries.push(entry);
      return entries.length > perOwner ? entries.shift() : undefined;
    },
    sent(changeId) {
      const changed = [...owners.values()].flat().filter((entry) => entry.changeId === changeId);
      for (const entry of changed) entry.item = { ...entry.item, emailSent: true };
      return changed;
    },
    list: (owner) =>
      (owner === undefined ? [...owners.values()].flat() : (owners.get(owner) ?? []))
        .map(({ item }) => item)
        .toSorted((a, b) => b.outTime - a.outTime),
  };
}
