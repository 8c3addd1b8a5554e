import { ExactNumber } from '../../format/exact-json.js';

/** One line of a value, formatted as JSON. */
export interface Line {
  /** Of the leaf or the container that begins here: `/apps/0/state`. */
  readonly path: string;
  readonly depth: number;
  readonly text: string;
  readonly isChanged: boolean;
}

/** A value as lines; a leaf that is not what it was before is marked. Without `before` nothing is. */
export function linesOf(value: unknown, before: unknown): readonly Line[] {
  const lines: Line[] = [];
  write(lines, value, before ?? value, { path: '', depth: 0, front: '', back: '' });
  return lines;
}

interface Place {
  readonly path: string;
  readonly depth: number;
  /** What stands before the value on its line: the key. */
  readonly front: string;
  /** What stands behind it: a comma, or nothing. */
  readonly back: string;
}

function write(lines: Line[], value: unknown, before: unknown, place: Place): void {
  const { path, depth, front, back } = place;
  if (!isContainer(value)) {
    const isChanged = isContainer(before) || leaf(value) !== leaf(before);
    lines.push({ path, depth, text: front + leaf(value) + back, isChanged });
    return;
  }
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}'];
  const entries = Object.entries(value);
  if (entries.length === 0) {
    lines.push({ path, depth, text: `${front}${open}${close}${back}`, isChanged: !isEmpty(before) });
    return;
  }
  lines.push({ path, depth, text: front + open, isChanged: false });
  entries.forEach(([key, item], index) => {
    write(lines, item, childOf(before, key), {
      path: `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`,
      depth: depth + 1,
      front: Array.isArray(value) ? '' : `${JSON.stringify(key)}: `,
      back: index === entries.length - 1 ? '' : ',',
    });
  });
  lines.push({ path, depth, text: close + back, isChanged: false });
}

const isContainer = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof ExactNumber);

const isEmpty = (value: unknown): boolean => isContainer(value) && Object.keys(value).length === 0;

const leaf = (value: unknown): string =>
  value instanceof ExactNumber ? value.source : isContainer(value) ? '' : (JSON.stringify(value) ?? '');

/** Missing is another thing than `null`: nothing that can be written is the same as it. */
const missing = Symbol('missing');

const childOf = (value: unknown, key: string): unknown =>
  isContainer(value) && Object.hasOwn(value, key) ? Reflect.get(value, key) : missing;
