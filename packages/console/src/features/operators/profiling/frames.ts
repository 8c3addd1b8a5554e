/** A place in the code, and what was called from there. */
export interface Frame {
  readonly name: string;
  /** In which it was on the stack, with all that it called. */
  readonly samples: number;
  readonly children: readonly Frame[];
}

/** Names from below the root on; empty: the root. New samples have other places, and the same names. */
export type FramePath = readonly string[];

/** What is found of a path, as far as it still leads. */
export function framesOn(root: Frame, path: FramePath): readonly Frame[] {
  const found = [root];
  for (const name of path) {
    const next = found.at(-1)?.children.find((child) => child.name === name);
    if (!next) break;
    found.push(next);
  }
  return found;
}

/** What was on top of the stack itself, and not in what it called. */
const ownOf = ({ samples, children }: Frame): number =>
  Math.max(
    0,
    children.reduce((left, child) => left - child.samples, samples),
  );

export interface HotFrame {
  readonly name: string;
  readonly own: number;
  /** With all that it called; once where it calls itself. */
  readonly all: number;
}

/** Where the samples were taken, wherever that was called from: those with the most of their own first. */
export function hottest(root: Frame, most: number): readonly HotFrame[] {
  const found = new Map<string, { own: number; all: number }>();
  eachIn(root, ({ frame, above }) => {
    const sums = found.get(frame.name) ?? { own: 0, all: 0 };
    sums.own += ownOf(frame);
    if (!above.has(frame.name)) sums.all += frame.samples;
    found.set(frame.name, sums);
  });
  return [...found]
    .map(([name, sums]) => ({ name, ...sums }))
    .filter(({ own }) => own > 0)
    .sort((one, other) => other.own - one.own || other.all - one.all)
    .slice(0, most);
}

/** Whether a part of a name is what is searched, whichever its case. An empty text finds nothing. */
export function finder(text: string): (name: string) => boolean {
  const wanted = text.trim().toLowerCase();
  return (name) => wanted !== '' && name.toLowerCase().includes(wanted);
}

/** How many frames are found, and in how many samples one of them was on the stack. */
export function foundIn(
  root: Frame,
  isFound: (name: string) => boolean,
): { readonly frames: number; readonly samples: number } {
  let [frames, samples] = [0, 0];
  eachIn(root, ({ frame, above }) => {
    if (!isFound(frame.name)) return;
    frames++;
    if (![...above].some(isFound)) samples += frame.samples;
  });
  return { frames, samples };
}

interface Visit {
  readonly frame: Frame;
  /** Names of what it was called from. */
  readonly above: ReadonlySet<string>;
}

/** The root stands for the whole and is no place in the code. */
function eachIn(root: Frame, visit: (visit: Visit) => void): void {
  const left: Visit[] = root.children.map((frame) => ({ frame, above: new Set<string>() }));
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    visit(next);
    const above = new Set(next.above).add(next.frame.name);
    for (const frame of next.frame.children) left.push({ frame, above });
  }
}

/** `org.acme.Orders$Join.process:41` is `Orders$Join.process:41`: boxes are narrow. */
export const shortFrame = (name: string): string => name.replace(/^(?:[\w-]+[./])+(?=[A-Z][\w$]*\.)/, '');

/** The package that a frame is of, three parts of it at most: frames of one look alike. */
export const packageOf = (name: string): string => {
  const [, found = ''] = /^((?:[\w-]+[./])+)[A-Z]/.exec(name) ?? [];
  return found.split(/[./]/).filter(Boolean).slice(0, 3).join('.');
};
