import { type Frame, type FramePath, framesOn } from './frames.js';

export interface Box {
  /** Places among the children, from the root on: `0.2`; empty is the root. */
  readonly key: string;
  /** Names that lead to it. */
  readonly path: FramePath;
  readonly frame: Frame;
  /** Rows above it. */
  readonly row: number;
  /** Of the width of the picture, 0 to 1. */
  readonly from: number;
  readonly width: number;
  /** What is looked at was called from it. */
  readonly isAbove: boolean;
}

export interface FlameLayout {
  /** Row by row, each from its start to its end. */
  readonly boxes: readonly Box[];
  readonly rows: number;
  /** Frames too narrow to be drawn, without what they called. */
  readonly tooNarrow: number;
}

/** What is narrower is not drawn: nobody could point at it. */
const least = 1 / 800;

/**
 * What is looked at is as wide as the picture, and so is what it was called from; what it called lies below, each as wide as its part
 * of the samples.
 */
export function flameLayout(root: Frame, path: FramePath): FlameLayout {
  const line = framesOn(root, path);
  const above: Box[] = [];
  for (const frame of line) {
    const before = above.at(-1);
    const key = before ? childKey(before, before.frame.children.indexOf(frame)) : '';
    const names = before ? [...before.path, frame.name] : [];
    above.push({ key, path: names, frame, row: above.length, from: 0, width: 1, isAbove: true });
  }
  const focus = above.pop();
  const boxes: Box[] = [...above];
  let row: readonly Box[] = focus ? [{ ...focus, isAbove: false }] : [];
  let tooNarrow = 0;
  while (row.length > 0) {
    boxes.push(...row);
    row = row.flatMap((box) => {
      const children = childrenOf(box);
      const wide = children.filter(({ width }) => width >= least);
      tooNarrow += children.length - wide.length;
      return wide;
    });
  }
  return { boxes, rows: (boxes.at(-1)?.row ?? 0) + 1, tooNarrow };
}

const childKey = ({ key }: Box, place: number): string => (key === '' ? String(place) : `${key}.${place}`);

function childrenOf(box: Box): readonly Box[] {
  const { frame, path, row, width } = box;
  let from = box.from;
  return frame.children.map((child, place) => {
    const made = {
      key: childKey(box, place),
      path: [...path, child.name],
      frame: child,
      row: row + 1,
      from,
      width: frame.samples > 0 ? (width * child.samples) / frame.samples : 0,
      isAbove: false,
    };
    from += made.width;
    return made;
  });
}

/** Which box an arrow leads to: what called it, the largest that it called, its neighbours in the row. `undefined`: none is there. */
export function walked(boxes: readonly Box[], key: string, arrow: string): Box | undefined {
  const at = boxes.findIndex((box) => box.key === key);
  const box = boxes[at];
  if (!box) return undefined;
  switch (arrow) {
    case 'ArrowUp':
      return boxes.findLast((one) => one.row === box.row - 1 && isWithin(box, one));
    case 'ArrowDown':
      return boxes.find((one) => one.row === box.row + 1 && isWithin(one, box));
    case 'ArrowLeft':
      return boxes[at - 1]?.row === box.row ? boxes[at - 1] : undefined;
    case 'ArrowRight':
      return boxes[at + 1]?.row === box.row ? boxes[at + 1] : undefined;
    case 'Home':
      return boxes[0];
    default:
      return undefined;
  }
}

const isWithin = (inner: Box, outer: Box): boolean =>
  outer.key === '' || inner.key.startsWith(`${outer.key}.`);
