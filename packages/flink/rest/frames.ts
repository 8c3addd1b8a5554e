import type { StackFrame } from 'headgate/driver-kit';
import * as z from 'zod';
import { Text } from './values.js';

/** Without its children, so that no tree is too deep to be read. */
const Node = z.object({ name: Text, value: z.number().min(0), children: z.array(z.unknown()).nullish() });

interface Place {
  readonly node: z.output<typeof Node>;
  readonly frame: StackFrame;
  readonly parent: Place | undefined;
  readonly depth: number;
}

interface FrameTree {
  readonly root: StackFrame;
  readonly leftOut: number;
}

/** Flink itself looks 100 deep, unless it is set up otherwise. */
const mostDepth = 200;
/** Characters of the name of a frame: class, method and line. */
const mostName = 500;

/** The frames with the most samples, `most` of them. */
function treeOf(root: z.output<typeof Node>, most: number): FrameTree {
  const top = placeOf(root);
  const all = [top];
  // Level by level: each frame is reached by the loop that has found it.
  for (const place of all)
    for (const child of place.node.children ?? []) {
      const node = Node.safeParse(child).data;
      if (node) all.push(placeOf(node, place));
    }
  // Nothing has more samples than what it was called from, and of equal ones that stands first: who is kept has its parents.
  const kept = all
    .filter(({ depth }) => depth <= mostDepth)
    .sort((a, b) => b.frame.samples - a.frame.samples)
    .slice(0, most);
  for (const { frame, parent } of kept) parent?.frame.children.push(frame);
  return { root: top.frame, leftOut: all.length - kept.length };
}

function placeOf(node: z.output<typeof Node>, parent?: Place): Place {
  const samples = Math.min(node.value, parent?.frame.samples ?? node.value);
  const frame = { name: node.name.slice(0, mostName), samples, children: [] };
  return { node, frame, parent, depth: (parent?.depth ?? 0) + 1 };
}

export interface FlameGraphAnswer {
  /** Epoch milliseconds; below 0 it says why there is no tree: `ended`, `disabled`, and else there are no samples yet. */
  readonly endTimestamp: number;
  readonly tree: FrameTree | undefined;
}

/** What stands for a time where there is no tree. */
export const noSamples = { ended: -1, disabled: -2 } as const;

/** `/jobs/:id/vertices/:id/flamegraph`. `most`: frames that are kept of it. */
export const flameGraphAnswer = (most: number): z.ZodType<FlameGraphAnswer> =>
  z
    .object({ endTimestamp: z.number(), data: Node.nullish() })
    .transform(({ endTimestamp, data }) => ({ endTimestamp, tree: data ? treeOf(data, most) : undefined }));
