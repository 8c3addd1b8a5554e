import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import {
  bracketMatching,
  defaultHighlightStyle,
  HighlightStyle,
  indentOnInput,
  syntaxHighlighting,
} from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { typedOverSelection } from './code-typing.js';

/** The usual colours, a little darker, and on a dark ground lighter ones of the same hue: they can be read there. */
const highlightStyle = HighlightStyle.define(
  defaultHighlightStyle.specs.map(({ color, ...spec }) =>
    typeof color === 'string'
      ? {
          ...spec,
          color: `light-dark(color-mix(in srgb, ${color}, black 14%), color-mix(in srgb, ${color}, white 62%))`,
        }
      : spec,
  ),
);

/** What every text here has. Escape, then Tab, leaves it by keyboard. */
export const codeExtensions: Extension = [
  lineNumbers(),
  history(),
  drawSelection(),
  indentOnInput(),
  bracketMatching(),
  highlightActiveLine(),
  syntaxHighlighting(highlightStyle, { fallback: true }),
  EditorView.lineWrapping,
  typedOverSelection,
  keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
];
