import { z } from 'zod';
import type { Client } from '../../../lib/client.js';
import { until } from '../../helpers/waiting.js';

const Lists = z.object({
  containers: z.array(z.object({ id: z.string(), state: z.string() })).optional(),
  operators: z
    .array(
      z.object({
        id: z.string().optional(),
        name: z.string(),
        status: z.union([z.string(), z.record(z.string(), z.number())]),
      }),
    )
    .optional(),
});

export const lists = ['containers', 'physicalOperators', 'logicalOperators'] as const;
export type List = (typeof lists)[number];

/** What a client is told of each entry of the three lists of an application, from the first time that it is there. */
export interface Stories {
  /** States one after the other, each once while it lasts; an end state as often as it was told anew after an absence. */
  of(list: List, id: string): readonly string[];
  /** Waits for a story, or for one that fits. */
  until(
    list: List,
    id: string,
    fits: readonly string[] | ((story: readonly string[]) => boolean),
  ): Promise<unknown>;
  /** Ids of a list, in the order in which they were told first. */
  ids(list: List): readonly string[];
}

/** Listens to the lists of an application, from now on. */
export function storiesOf(client: Client, appid: string): Stories {
  const told = {
    containers: new Map<string, string[]>(),
    physicalOperators: new Map<string, string[]>(),
    logicalOperators: new Map<string, string[]>(),
  };
  function tell(stories: Map<string, string[]>, now: ReadonlyMap<string, string>): void {
    for (const id of new Set([...stories.keys(), ...now.keys()])) {
      const story = stories.get(id) ?? [];
      const state = now.get(id) ?? 'absent';
      if (story.at(-1) !== state) story.push(state);
      stories.set(id, story);
    }
  }
  for (const list of lists) {
    client.subscribe(`applications.${appid}.${list}`, (data) => {
      const { containers = [], operators = [] } = Lists.parse(data);
      const entries: [string, string][] = [
        ...containers.map(({ id, state }): [string, string] => [id, state]),
        ...operators.map(({ id, name, status }): [string, string] => [
          id ?? name,
          typeof status === 'string' ? status : Object.keys(status).sort().join(),
        ]),
      ];
      tell(told[list], new Map(entries));
    });
  }
  const of = (list: List, id: string): readonly string[] => told[list].get(id) ?? [];
  return {
    of,
    until: (list, id, fits) =>
      until(
        async () => of(list, id),
        typeof fits === 'function' ? fits : (story) => String(story) === String(fits),
      ),
    ids: (list) => [...told[list].keys()],
  };
}
