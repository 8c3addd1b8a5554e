import { isReserved } from './reserved.js';
import type { Topic } from './topic.js';

/** One of the gateway's topics under one concrete name. */
export interface FoundTopic {
  readonly topic: Topic<unknown>;
  readonly service: unknown;
  readonly params: unknown;
}

export interface TopicTable {
  /** `undefined` when no topic has this name, or its parameters are not valid. */
  find(name: string): FoundTopic | undefined;
}

/** Rooms by name; each holds its topics by key. */
export type TopicTree = Readonly<Record<string, Readonly<Record<string, Topic<unknown>>>>>;

const usualInterval = 1000;

/**
 * Binds each room's topics to its service. Refuses two topics with the same shape, and names that are not reserved
 * for the gateway. `interval`: milliseconds between two readings of the topics that are read once a second by default.
 */
export function bindTopics(
  tree: TopicTree,
  services: Readonly<Record<string, unknown>>,
  interval: number = usualInterval,
): TopicTable {
  const byShape = new Map<string, { topic: Topic<unknown>; service: unknown; pattern: RegExp }>();
  for (const [room, topics] of Object.entries(tree)) {
    for (const topic of Object.values(topics)) {
      const shape = topic.name.replace(/\{\w+\}/g, '{}');
      if (!isReserved(topic.name)) {
        throw new Error(
          `Clients could write to ${topic.name}; give it a name that is reserved (reserved.ts)`,
        );
      }
      if (byShape.has(shape)) throw new Error(`Two topics are called ${topic.name}`);
      const paced = topic.every === usualInterval ? { ...topic, every: interval } : topic;
      byShape.set(shape, { topic: paced, service: services[room], pattern: patternOf(topic.name) });
    }
  }
  // Names without parameters first: they beat the ones that would take them as a value.
  const entries = [...byShape].sort(([a], [b]) => Number(a.includes('{')) - Number(b.includes('{')));
  return {
    find(name) {
      for (const [, { topic, service, pattern }] of entries) {
        const found = pattern.exec(name);
        if (!found) continue;
        if (!topic.params) return { topic, service, params: undefined };
        const params = topic.params.safeParse({ ...found.groups });
        if (params.success) return { topic, service, params: params.data };
      }
      return undefined;
    },
  };
}

/** A parameter takes one part of the name: what is between two dots. */
const patternOf = (name: string): RegExp =>
  new RegExp(
    `^${name
      .split(/(\{\w+\})/)
      .map((part) => (/^\{\w+\}$/.test(part) ? `(?<${part.slice(1, -1)}>[^.]+)` : literal(part)))
      .join('')}$`,
  );

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
