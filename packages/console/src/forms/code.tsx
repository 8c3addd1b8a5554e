import { setDiagnostics } from '@codemirror/lint';
import { Annotation, EditorState, type Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useRef } from 'react';
import { nonce } from '../gateway/settings.js';
import classes from './code.module.css';
import { codeExtensions } from './code-extensions.js';

interface Props {
  /** What it is, for those who do not see it. */
  readonly label: string;
  readonly value: string;
  /** Absent: it can be read only. */
  readonly onChange?: (value: string) => void;
  /** Language, completion, marks. Another list replaces them; the same one must be the same object. */
  readonly extensions?: readonly Extension[];
  readonly minHeight?: number;
  readonly maxHeight?: number;
  /** What is wrong, underlined where it is. */
  readonly marks?: readonly Mark[];
  /** Selected and scrolled to whenever another object comes. */
  readonly reveal?: Span | undefined;
}

/** Places in the text. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Mark extends Span {
  readonly message: string;
}

const nothing: readonly Extension[] = [];
/** Keys that are pressed before the page is drawn anew. */
const mostTyped = 200;
/** Of a text that came as `value`: whoever gave it knows it. */
const isGiven = Annotation.define<true>();

/** Text with a language. The editor is the browser's own component, made once: what is typed never goes round through React. */
export function Code({
  label,
  value,
  onChange,
  extensions = nothing,
  minHeight = 120,
  maxHeight,
  marks,
  reveal,
}: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const change = useRef(onChange);
  change.current = onChange;
  const isReadOnly = onChange === undefined;
  const first = useRef(value);
  first.current = value;
  /** What was typed, and has not come back as `value` yet. */
  const typed = useRef<string[]>([]);

  useEffect(() => {
    if (!place.current) return;
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: first.current,
        extensions: [
          EditorView.cspNonce.of(nonce),
          codeExtensions,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((one) => one.annotation(isGiven))) return;
            const text = update.state.doc.toString();
            typed.current = [...typed.current.slice(-mostTyped), text];
            change.current?.(text);
          }),
          ...extensions,
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, [label, isReadOnly, extensions]);

  // What came from elsewhere. What was typed is there already, and maybe more by now: whoever types is ahead of what is drawn.
  useEffect(() => {
    const { current } = view;
    const place = typed.current.lastIndexOf(value);
    if (place >= 0) typed.current.splice(0, place + 1);
    else if (current && current.state.doc.toString() !== value) {
      typed.current = [];
      current.dispatch({
        changes: { from: 0, to: current.state.doc.length, insert: value },
        annotations: isGiven.of(true),
      });
    }
  }, [value]);

  useEffect(() => {
    const { current } = view;
    if (!current || !marks) return;
    const end = current.state.doc.length;
    const found = marks
      .filter(({ to }) => to <= end)
      .map((mark) => ({ ...mark, severity: 'error' as const }));
    current.dispatch(setDiagnostics(current.state, found));
  }, [marks]);

  useEffect(() => {
    const { current } = view;
    if (!current || !reveal || reveal.to > current.state.doc.length) return;
    const selection = { anchor: reveal.from, head: reveal.to };
    current.dispatch({
      selection,
      effects: EditorView.scrollIntoView(reveal.from, { y: 'start', yMargin: 24 }),
    });
  }, [reveal]);

  return <div ref={place} className={classes['code']} style={{ minHeight, maxHeight }} />;
}
