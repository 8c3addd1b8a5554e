import type { Point } from './layout-input.js';

const radius = 8;

/** A line with rounded corners, as SVG writes it. */
export function roundedPath(points: readonly Point[]): string {
  const [first, ...rest] = points;
  if (!first) return '';
  const steps = rest.map((corner, index) => {
    const next = rest[index + 1];
    if (!next) return `L ${corner.x} ${corner.y}`;
    const before = towards(corner, points[index] ?? corner);
    const after = towards(corner, next);
    return `L ${before.x} ${before.y} Q ${corner.x} ${corner.y} ${after.x} ${after.y}`;
  });
  return [`M ${first.x} ${first.y}`, ...steps].join(' ');
}

/** A little away from a corner; at most half the way, since the next corner wants the other half. */
function towards(corner: Point, to: Point): Point {
  const length = Math.hypot(to.x - corner.x, to.y - corner.y);
  const share = length === 0 ? 0 : Math.min(radius, length / 2) / length;
  return { x: corner.x + (to.x - corner.x) * share, y: corner.y + (to.y - corner.y) * share };
}

/** Where an edge has room for words. */
export type LabelSide = 'start' | 'middle' | 'end';

/** Near its end where many begin at one node, near its beginning where many end at one: there it is alone. */
export function labelSide(leaving: number, arriving: number): LabelSide {
  if (leaving > 1 && arriving === 1) return 'end';
  return arriving > 1 && leaving === 1 ? 'start' : 'middle';
}

const aside = 26;

/** Otherwise the middle of the longest level stretch. */
export function labelPlace(points: readonly Point[], side: LabelSide): Point {
  const [first, last] = [points[0], points.at(-1)];
  if (side === 'start' && first) return { x: first.x + aside, y: first.y };
  if (side === 'end' && last) return { x: last.x - aside, y: last.y };
  let longest = { length: -1, x: 0, y: 0 };
  for (const [index, to] of points.entries()) {
    const from = points[index - 1];
    if (!from) continue;
    const length = Math.abs(to.x - from.x);
    if (length > longest.length) longest = { length, x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  }
  return { x: longest.x, y: longest.y };
}
