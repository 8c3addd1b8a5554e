import type { TopicData } from 'headgate/client';
import { useCallback, useSyncExternalStore } from 'react';
import type { TopicRefusal, TopicValue } from './topic-store.js';
import { topics } from './topics.js';

interface LiveValue<Data> {
  readonly data: Data;
  readonly text: string;
  readonly receivedAt: number;
}

const nothing = () => () => {};

/** The last message of a topic, drawn anew with each; `undefined` before the first, and for no name. */
export function useTopic<Name extends string>(
  name: Name | undefined,
): LiveValue<TopicData<Name>> | undefined {
  const watch = useCallback(
    (listener: () => void) => (name === undefined ? nothing() : topics.watch(name, listener)),
    [name],
  );
  const read = useCallback(() => (name === undefined ? undefined : topics.latest(name)), [name]);
  const value: TopicValue | undefined = useSyncExternalStore(watch, read);
  return value as LiveValue<TopicData<Name>> | undefined;
}

/** Why the gateway refuses a topic, as long as it does. */
export function useTopicRefusal(name: string): TopicRefusal | undefined {
  const watch = useCallback((listener: () => void) => topics.watch(name, listener), [name]);
  return useSyncExternalStore(watch, () => topics.refusal(name));
}

/**
 * A part of the last message: drawn anew only when `select` gives something else, so that a row, a node or an edge of many moves by
 * itself. `select` must give the same thing for the same message. Nothing for no name.
 */
export function useTopicPart<Name extends string, Part>(
  name: Name | undefined,
  select: (data: TopicData<Name>) => Part,
): Part | undefined {
  const watch = useCallback(
    (listener: () => void) => (name === undefined ? nothing() : topics.watch(name, listener)),
    [name],
  );
  return useSyncExternalStore(watch, () => {
    const value = name === undefined ? undefined : topics.latest(name);
    return value === undefined ? undefined : select(value.data as TopicData<Name>);
  });
}
