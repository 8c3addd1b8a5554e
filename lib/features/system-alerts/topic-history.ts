/** What one owner's conditions saw in one round. */
export interface TopicRecord {
  /** Epoch milliseconds. */
  readonly time: number;
  readonly owner: string;
  /** Name to JSON text. */
  readonly topics: ReadonlyMap<string, string>;
}

/** What rounds saw, in memory, to try conditions out on. */
export interface TopicHistory {
  record(record: TopicRecord): void;
  /** Of one owner, the oldest first. */
  of(owner: string): readonly TopicRecord[];
}

export interface HistoryLimits {
  /** How far back it reaches. Default: one hour. */
  readonly historyMillis: number;
  /** Characters of JSON in all; the oldest go first. Default: 16 million. */
  readonly historyCharacters: number;
}

/** What a record takes without its texts. */
const recordCharacters = 200;

export function createTopicHistory({ historyMillis, historyCharacters }: HistoryLimits): TopicHistory {
  const records: (TopicRecord & { readonly size: number })[] = [];
  /**
   * Owners share texts, and what did not change is the same text again: it counts once. With the number of records that
   * have the topic: without any it is forgotten.
   */
  const newest = new Map<string, { readonly text: string; readonly records: number }>();
  let size = 0;

  function sizeOf(topics: TopicRecord['topics']): number {
    let sum = recordCharacters;
    for (const [name, text] of topics) {
      const known = newest.get(name);
      if (known?.text !== text) sum += text.length;
      newest.set(name, { text, records: (known?.records ?? 0) + 1 });
    }
    return sum;
  }

  function forget({ topics }: TopicRecord): void {
    for (const name of topics.keys()) {
      const known = newest.get(name);
      if (known && known.records > 1) newest.set(name, { text: known.text, records: known.records - 1 });
      else newest.delete(name);
    }
  }

  return {
    record(record) {
      const sized = { ...record, size: sizeOf(record.topics) };
      records.push(sized);
      size += sized.size;
      const isTooMuch = ({ time }: TopicRecord) =>
        size > historyCharacters || record.time - time > historyMillis;
      for (let oldest = records[0]; oldest && isTooMuch(oldest); oldest = records[0]) {
        size -= oldest.size;
        forget(oldest);
        records.shift();
      }
    },
    of: (owner) => records.filter((record) => record.owner === owner),
  };
}
