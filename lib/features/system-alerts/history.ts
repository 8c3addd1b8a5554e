import type { AlertHistoryItem } from './schema.js';

/** Activations that are over. */
export interface AlertHistoryLog {
  /** `changeId`: of the change that ended it, should there be a mail about it. */
  add(item: AlertHistoryItem, changeId: string | undefined): void;
  /** The mail about this change was sent. */
  sent(changeId: string): void;
  /** The newest first; of one owner when given. */
  list(owner?: string): AlertHistoryItem[];
}

/** In memory (spec 3); each owner has at most `perOwner` (`resolved-gaps.md` G25), so nobody pushes out another's. */
export function createAlertHistory(perOwner: number): AlertHistoryLog {
  const owners = new Map<string, { item: AlertHistoryItem; readonly changeId: string | undefined }[]>();
  return {
    add(item, changeId) {
      const entries = owners.get(item.owner) ?? [];
      owners.set(item.owner, entries);
      entries.push({ item, changeId });
      if (entries.length > perOwner) entries.shift();
    },
    sent(changeId) {
      for (const entries of owners.values()) {
        const entry = entries.findLast((one) => one.changeId === changeId);
        if (entry) entry.item = { ...entry.item, emailSent: true };
      }
    },
    list: (owner) =>
      (owner === undefined ? [...owners.values()].flat() : (owners.get(owner) ?? []))
        .map(({ item }) => item)
        .toSorted((a, b) => b.outTime - a.outTime),
  };
}
