import { randomId } from '@mantine/hooks';
import { useEffect, useMemo } from 'react';
import { client } from '../../gateway/client.js';
import { connection } from '../../gateway/connection.js';
import { createStore, type Store, useStore } from '../../gateway/store.js';
import { topics } from '../../gateway/topics.js';
import {
  dataQuery,
  type Field,
  type Row,
  readAnswer,
  type Source,
  schemaQuery,
  topicOf,
} from './protocol.js';

/** What a source has told so far. Times: epoch milliseconds of this machine. */
export interface Feed {
  /** Since when it is asked. */
  readonly since: number;
  readonly topic: string;
  readonly fields?: readonly Field[];
  readonly rows?: readonly Row[];
  readonly receivedAt?: number;
}

interface Kept {
  readonly store: Store<Feed>;
  /** A topic must tell this page's queries from those of others. */
  readonly id: string;
  users: number;
  close: () => void;
}

const everyMillis = 5000;
/** Windows. More of them than pass until the next query, so that results never end while somebody looks. */
const countdown = 60;

const feeds = new Map<string, Kept>();
const keyOf = (source: Source) => JSON.stringify(source);

function keptOf(source: Source): Kept {
  const id = `console-${randomId('')}`;
  const store = createStore<Feed>({ since: Date.now(), topic: topicOf(source, id) });
  const kept = feeds.get(keyOf(source)) ?? { store, id, users: 0, close: () => {} };
  feeds.set(keyOf(source), kept);
  return kept;
}

/** Asks again and again: a query holds for some windows, and is lost while its source is away. */
function start(source: Source, { store, id }: Kept): () => void {
  const schemaId = `${id}-schema`;
  const heard = ({ text, receivedAt }: { readonly text: string; readonly receivedAt: number }) => {
    const answer = readAnswer(text, id) ?? readAnswer(text, schemaId);
    if (answer?.kind === 'rows') store.set({ ...store.get(), rows: answer.rows, receivedAt });
    if (answer?.kind === 'schema') store.set({ ...store.get(), fields: answer.fields });
  };
  const names = [...new Set([id, schemaId].map((one) => topicOf(source, one)))];
  const leave = names.map((name) => topics.each(name, heard));
  const ask = () => {
    // Nobody looks, or nobody would hear: asked again when that is over.
    if (document.hidden || connection.get().state === 'reconnecting') return;
    if (!store.get().fields) client.publish(source.queryTopic, schemaQuery(source, schemaId));
    client.publish(source.queryTopic, dataQuery(source, id, countdown));
  };
  ask();
  const timer = setInterval(ask, everyMillis);
  return () => {
    clearInterval(timer);
    for (const one of leave) one();
  };
}

const none = createStore<Feed>({ since: 0, topic: '' });

/** What a source tells, as long as somebody looks; asked once for all widgets that show it. */
export function useFeed(source: Source | undefined): Feed {
  const key = source && keyOf(source);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is all of the source.
  const kept = useMemo(() => source && keptOf(source), [key]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same.
  useEffect(() => {
    if (!source || !kept) return;
    if (kept.users++ === 0) kept.close = start(source, kept);
    return () => {
      if (--kept.users > 0) return;
      kept.close();
      feeds.delete(keyOf(source));
    };
  }, [key, kept]);
  return useStore(kept?.store ?? none);
}
