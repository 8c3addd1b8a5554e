import type { TopicData } from 'headgate/client';
import { useEffect, useState } from 'react';
import type { Sample } from '../../charts/series.js';
import { useTopic } from '../../gateway/use-topic.js';
import { ofContainers } from './history.js';

export interface Figures {
  readonly rates: readonly Sample[];
  readonly latency: readonly Sample[];
  readonly memory: readonly Sample[];
}

const nothing: Figures = { rates: [], latency: [], memory: [] };
/** An hour of seconds. */
const most = 3600;

type Live = TopicData<`applications.${string}`>;

/** What an application told since the page was opened, a sample for each message; and the last message. */
export function useFigures(appid: string | undefined): {
  readonly figures: Figures;
  readonly latest: Live | undefined;
} {
  const live = useTopic(appid === undefined ? undefined : `applications.${appid}`);
  const containers = useTopic(appid === undefined ? undefined : `applications.${appid}.containers`);
  const [figures, setFigures] = useState(nothing);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a sample for each message of the application.
  useEffect(() => {
    if (!live) return;
    const {
      observedAt: at,
      tuplesProcessedPSMA,
      tuplesEmittedPSMA,
      latency,
      totalMemoryAllocated,
    } = live.data;
    const [used = null, allocated = null] = containers
      ? memoryOf(containers.data)
      : [null, totalMemoryAllocated];
    setFigures((before) => ({
      rates: added(before.rates, { at, values: [tuplesProcessedPSMA, tuplesEmittedPSMA] }),
      latency: added(before.latency, { at, values: [latency] }),
      memory: added(before.memory, { at, values: [used, allocated] }),
    }));
  }, [live]);
  return { figures, latest: live?.data };
}

/** A quarter is let go at once when there are too many: not an array of thousands anew with each. */
const added = (before: readonly Sample[], sample: Sample): readonly Sample[] => [
  ...(before.length >= most ? before.slice(most / 4) : before),
  sample,
];

/** Of the containers that live, but for the master's: no statistics are kept of that one. */
const memoryOf = ({ containers }: TopicData<`applications.${string}.containers`>) =>
  ofContainers(
    containers
      .filter(({ state, containerType }) => state === 'ACTIVE' && containerType !== 'APP_MASTER')
      .map(({ memoryMBAllocated = 0, memoryMBFree }) => ({
        allocated: memoryMBAllocated,
        free: memoryMBFree,
      })),
  );
