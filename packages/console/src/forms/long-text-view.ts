import { type ChangeSpec, Compartment, EditorState, type Range, StateEffect, Text } from '@codemirror/state';
import { Decoration, EditorView, highlightSpecialChars, ViewPlugin, WidgetType } from '@codemirror/view';
import { nonce } from '../gateway/settings.js';
import { type CommonRun, commonRun, type PlacedLine } from './long-text-change.js';

export interface LongTextLine extends PlacedLine {
  /** A class of `long-text.module.css`. */
  readonly mark?: string | undefined;
  /** What stands behind a line that is shown in part: pressing it asks for more. */
  readonly rest?: string | undefined;
}

/** What is drawn over the text. */
export interface Marks {
  /** Lines that were found, by their start, and what of them to mark; the whole line where nobody knows. */
  readonly hits: ReadonlySet<number>;
  readonly pattern: RegExp | undefined;
  /** The one that somebody stands at. */
  readonly current: number | undefined;
}

export interface LongText {
  readonly view: EditorView;
  readonly lines: () => readonly LongTextLine[];
  show(lines: readonly LongTextLine[], isFollowing: boolean): void;
  mark(marks: Marks): void;
  wrap(isWrapping: boolean): void;
  /** A line to the upper edge, with some above it to see where it stands. */
  scrollTo(line: number, linesAbove?: number): void;
  /** Once the last change is drawn. */
  whenMeasured(tell: (scroller: HTMLElement) => void): void;
  /** The line at the upper edge. */
  topLine(): LongTextLine | undefined;
}

const redraw = StateEffect.define<null>();

class Rest extends WidgetType {
  constructor(
    private readonly label: string,
    private readonly start: number,
  ) {
    super();
  }
  override eq(other: Rest): boolean {
    return other.label === this.label && other.start === this.start;
  }
  override toDOM(): HTMLElement {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'long-text-rest';
    button.dataset['start'] = String(this.start);
    button.textContent = this.label;
    return button;
  }
}

/** A part of a long text in an editor that only shows: lines come and go at both ends while somebody reads between them. */
export function createLongText(parent: HTMLElement, label: string): LongText {
  let lines: readonly LongTextLine[] = [];
  let marks: Marks = { hits: new Set(), pattern: undefined, current: undefined };
  const wrapping = new Compartment();
  const decorated = ViewPlugin.define((view) => ({ view, update: () => {} }), {
    provide: () => EditorView.decorations.of((view) => decorationsOf(view, lines, marks)),
  });
  const view = new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        EditorView.cspNonce.of(nonce),
        EditorState.readOnly.of(true),
        EditorView.editable.of(false),
        EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0', spellcheck: 'false' }),
        highlightSpecialChars(),
        decorated,
        wrapping.of([]),
      ],
    }),
  });

  function topLine(): LongTextLine | undefined {
    const height = view.scrollDOM.getBoundingClientRect().top - view.documentTop;
    const { from } = view.lineBlockAtHeight(Math.max(0, height + 1));
    return lines[view.state.doc.lineAt(from).number - 1];
  }

  const positionOf = (line: number): number =>
    view.state.doc.line(Math.min(Math.max(1, line + 1), view.state.doc.lines)).from;

  return {
    view,
    lines: () => lines,
    topLine,
    show(next, isFollowing) {
      const run = commonRun(lines, next);
      const atEnd = () => EditorView.scrollIntoView(view.state.doc.length, { y: 'end', yMargin: 0 });
      if (run.count === lines.length && run.count === next.length && run.count > 0) {
        lines = next;
        view.dispatch({ effects: [redraw.of(null), ...(isFollowing ? [atEnd()] : [])] });
        return;
      }
      const top = topLine();
      const changes = view.state.changes(changesOf(view.state.doc, lines, next, run));
      const keeps = view.scrollSnapshot().map(changes);
      const topIndex = top === undefined ? -1 : lines.indexOf(top);
      const stays = topIndex >= run.before && topIndex < run.before + run.count;
      lines = next;
      view.dispatch({ changes, ...(stays && keeps && !isFollowing ? { effects: keeps } : {}) });
      if (isFollowing) view.dispatch({ effects: atEnd() });
      else if (!stays && top) this.scrollTo(placeOf(next, top.start));
    },
    mark(next) {
      marks = next;
      view.dispatch({ effects: redraw.of(null) });
    },
    wrap: (isWrapping) =>
      view.dispatch({ effects: wrapping.reconfigure(isWrapping ? EditorView.lineWrapping : []) }),
    scrollTo(line, linesAbove = 0) {
      const yMargin = linesAbove * view.defaultLineHeight;
      view.dispatch({ effects: EditorView.scrollIntoView(positionOf(line), { y: 'start', yMargin }) });
    },
    whenMeasured: (tell) => view.requestMeasure({ read: () => view.scrollDOM, write: tell }),
  };
}

/** The last line that begins at an offset or before it. */
const placeOf = (lines: readonly PlacedLine[], start: number): number =>
  Math.max(
    0,
    lines.findLastIndex((line) => line.start <= start),
  );

function changesOf(
  doc: Text,
  before: readonly PlacedLine[],
  after: readonly PlacedLine[],
  run: CommonRun,
): ChangeSpec[] {
  const texts = after.map(({ text }) => text);
  if (run.count === 0)
    return [{ from: 0, to: doc.length, insert: Text.of(texts.length === 0 ? [''] : texts) }];
  const head = texts.slice(0, run.after);
  const tail = texts.slice(run.after + run.count);
  const from = doc.line(run.before + 1).from;
  const to = doc.line(run.before + run.count).to;
  const isTailSame = tail.length === 0 && before.length === run.before + run.count;
  return [
    { from: 0, to: from, insert: Text.of([...head, '']) },
    ...(isTailSame
      ? []
      : [{ from: to, to: doc.length, insert: Text.of(tail.length === 0 ? [''] : ['', ...tail]) }]),
  ];
}

/** Of what is on screen. */
function decorationsOf(view: EditorView, lines: readonly LongTextLine[], marks: Marks) {
  const found: Range<Decoration>[] = [];
  let done = -1;
  for (const { from, to } of view.visibleRanges) {
    // Of a long line the editor may see two parts.
    for (let at = Math.max(from, done + 1); at <= to; ) {
      const line = view.state.doc.lineAt(at);
      const shown = lines[line.number - 1];
      if (shown) found.push(...decorationsOfLine(line.from, line.to, line.text, shown, marks));
      done = line.to;
      at = line.to + 1;
    }
  }
  return Decoration.set(found, true);
}

function decorationsOfLine(
  from: number,
  to: number,
  text: string,
  { start, mark, rest }: LongTextLine,
  { hits, pattern, current }: Marks,
): Range<Decoration>[] {
  const isHit = hits.has(start);
  const names = [mark, start === current ? 'current' : undefined, isHit && !pattern ? 'hit' : undefined];
  const attributes = names.flatMap((name) => (name === undefined ? [] : [`long-text-${name}`])).join(' ');
  return [
    ...(attributes === '' ? [] : [Decoration.line({ class: attributes }).range(from)]),
    ...(isHit && pattern ? matchesIn(text, pattern).map(([a, b]) => hitMark.range(from + a, from + b)) : []),
    ...(rest === undefined ? [] : [Decoration.widget({ widget: new Rest(rest, start), side: 1 }).range(to)]),
  ];
}

const hitMark = Decoration.mark({ class: 'long-text-hit' });
const mostMatches = 100;

function matchesIn(text: string, pattern: RegExp): (readonly [number, number])[] {
  const found: (readonly [number, number])[] = [];
  for (const match of text.matchAll(pattern)) {
    if (found.length >= mostMatches) break;
    if (match[0] !== '') found.push([match.index, match.index + match[0].length]);
  }
  return found;
}
