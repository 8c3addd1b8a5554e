import ELK from 'elkjs/lib/elk-api.js';
import workerUrl from 'elkjs/lib/elk-worker.min.js?url';
import { useEffect, useState } from 'react';
import type { Place } from './definition.js';

export interface Box {
  readonly name: string;
  readonly width: number;
  readonly height: number;
}

const options = {
  'elk.algorithm': 'layered',
  'elk.direction': 'RIGHT',
  'elk.layered.spacing.nodeNodeBetweenLayers': '70',
  'elk.spacing.nodeNode': '30',
};

let elk: InstanceType<typeof ELK> | undefined;

/** One worker, made when the first picture is. */
const engine = () => {
  elk ??= new ELK({ workerFactory: () => new Worker(workerUrl) });
  return elk;
};

const nowhere: ReadonlyMap<string, Place> = new Map();

/** Where boxes go that nobody has placed, from left to right; empty until it is known. Laid out anew when boxes or lines change. */
export function useLayout(
  boxes: readonly Box[],
  lines: readonly (readonly [from: string, to: string])[],
): ReadonlyMap<string, Place> {
  const [places, setPlaces] = useState(nowhere);
  const key = JSON.stringify([boxes, lines]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says all that they hold.
  useEffect(() => {
    let isOver = false;
    void laidOut(boxes, lines).then((found) => {
      if (!isOver) setPlaces(found);
    });
    return () => {
      isOver = true;
    };
  }, [key]);
  return places;
}

async function laidOut(
  boxes: readonly Box[],
  lines: readonly (readonly [string, string])[],
): Promise<ReadonlyMap<string, Place>> {
  const names = new Set(boxes.map(({ name }) => name));
  const known = lines.filter(([from, to]) => names.has(from) && names.has(to));
  const graph = await engine().layout({
    id: 'root',
    layoutOptions: options,
    children: boxes.map(({ name, width, height }) => ({ id: name, width, height })),
    edges: known.map(([from, to], index) => ({ id: `line ${index}`, sources: [from], targets: [to] })),
  });
  return new Map((graph.children ?? []).map(({ id, x = 0, y = 0 }) => [id, { x, y }]));
}
