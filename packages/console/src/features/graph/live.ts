import { createContext, useCallback, useContext, useMemo, useRef } from 'react';
import { rate } from '../../format/number.js';
import { useTopicPart } from '../../gateway/use-topic.js';
import {
  type Figures,
  type Frame,
  type MeasuredOperator,
  type MeasuredPartition,
  operatorFrame,
  partitionFrame,
  together,
} from './figures.js';
import type { Scale } from './graph-search.js';
import { portFrame, rateIn } from './port-rates.js';
import { type Shade, shadeOf } from './scale.js';
import type { Mode } from './selection.js';
import type { ShownEdge, ShownNode } from './shown-graph.js';

/** Where nodes and edges find their own figures: none is handed down to them, or each message would draw all of them. */
export interface LiveGraph {
  readonly id: string;
  readonly mode: Mode;
  readonly scale: Scale;
  /** Absent after the end of the application. */
  readonly isLive: boolean;
  readonly upstream: ReadonlyMap<string, readonly string[]>;
  readonly windowMillis: number;
  /** What was read, until the topic tells. */
  readonly first: Frame;
  /** Frames of messages, made once for all who look. */
  readonly frames: WeakMap<object, Frame>;
}

export const LiveContext = createContext<LiveGraph | undefined>(undefined);

export function useLiveGraph(): LiveGraph {
  const live = useContext(LiveContext);
  if (!live) throw new Error('A part of a graph stands outside of one');
  return live;
}

function cached<Data extends object>(live: LiveGraph, data: Data, make: () => Frame): Frame {
  const known = live.frames.get(data);
  if (known) return known;
  const made = make();
  live.frames.set(data, made);
  return made;
}

/** Something of the present figures, drawn anew only when `isSame` says that it is another. */
function useFrame<T>(pick: (frame: Frame) => T, isSame: (a: T, b: T) => boolean): T {
  const live = useLiveGraph();
  const { id, mode, isLive, first } = live;
  const last = useRef<{ readonly frame: Frame; readonly pick: unknown; readonly value: T }>(undefined);
  const kept = useCallback(
    (frame: Frame): T => {
      const before = last.current?.pick === pick ? last.current : undefined;
      if (before?.frame === frame) return before.value;
      const next = pick(frame);
      const value = before && isSame(before.value, next) ? before.value : next;
      last.current = { frame, pick, value };
      return value;
    },
    [pick, isSame],
  );
  const logical = useTopicPart(
    isLive && mode === 'logical' ? (`applications.${id}.logicalOperators` as const) : undefined,
    useCallback(
      (data: { readonly operators: readonly MeasuredOperator[] }) =>
        kept(cached(live, data, () => operatorFrame(data.operators, live))),
      [live, kept],
    ),
  );
  const physical = useTopicPart(
    isLive && mode === 'physical' ? (`applications.${id}.physicalOperators` as const) : undefined,
    useCallback(
      (data: { readonly operators: readonly MeasuredPartition[] }) =>
        kept(cached(live, data, () => partitionFrame(data.operators, live))),
      [live, kept],
    ),
  );
  const before = useMemo(() => pick(first), [pick, first]);
  return logical ?? physical ?? before;
}

const figuresIn = (frame: Frame, ids: readonly string[]): Figures | undefined =>
  together(ids.flatMap((id) => frame.of(id) ?? []));

const isSameFigures = (): boolean => false;

/** All that is known of some nodes, with each message. */
export function useFigures(ids: readonly string[]): Figures | undefined {
  const pick = useCallback((frame: Frame) => figuresIn(frame, ids), [ids]);
  return useFrame(pick, isSameFigures);
}

interface NodeFigures extends Shade {
  readonly partitions: number;
  readonly flow: string;
}

/** What a node shows; the same object as long as it looks the same. */
export function useNodeFigures(node: ShownNode): NodeFigures {
  const { scale } = useLiveGraph();
  const ids = useMemo(() => node.members.map(({ id }) => id), [node]);
  const pick = useCallback(
    (frame: Frame): NodeFigures => {
      const figures = figuresIn(frame, ids);
      const flow = figures && (figures.emitted > 0 ? figures.emitted : figures.processed);
      return { ...shadeOf(scale, figures), partitions: figures?.partitions ?? ids.length, flow: rate(flow) };
    },
    [ids, scale],
  );
  return useFrame(pick, isSameNode);
}

const isSameNode = (a: NodeFigures, b: NodeFigures): boolean =>
  a.color === b.color &&
  a.sign === b.sign &&
  a.text === b.text &&
  a.partitions === b.partitions &&
  a.flow === b.flow;

const isSameText = (a: string, b: string): boolean => a === b;

/** The rate of an edge, in words. */
export function useEdgeRate({ rate: source }: ShownEdge): string {
  const live = useLiveGraph();
  const { id, mode, isLive } = live;
  const pick = useCallback((frame: Frame) => rate(rateIn(source, frame)), [source]);
  const whole = useFrame(pick, isSameText);
  // Logical operators tell no figures of ports; where an operator has several, its partitions do.
  const needsPorts = mode === 'logical' && source?.ports.some(({ isOnly }) => !isOnly) === true;
  const ports = useTopicPart(
    isLive && needsPorts ? (`applications.${id}.physicalOperators` as const) : undefined,
    useCallback(
      (data: Parameters<typeof portFrame>[0]) =>
        rate(
          rateIn(
            source,
            cached(live, data, () => portFrame(data)),
          ),
        ),
      [live, source],
    ),
  );
  return ports ?? whole;
}
