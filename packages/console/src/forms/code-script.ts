import { autocompletion, type Completion, type CompletionContext } from '@codemirror/autocomplete';
import { javascript } from '@codemirror/lang-javascript';
import { lintGutter, setDiagnostics } from '@codemirror/lint';
import type { Extension } from '@codemirror/state';
import { type EditorView, ViewPlugin } from '@codemirror/view';

/** Where a problem is; without a line it concerns the whole text, and no line is marked. */
export interface ScriptProblem {
  readonly message: string;
  /** From 1. */
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

type Complete = (
  before: string,
  after: string,
) => { readonly from: number; readonly options: readonly Completion[] } | undefined;

export interface Script {
  /** For `Code`: made once. */
  readonly extensions: readonly Extension[];
  /** Marks the line, or nothing any more. */
  mark(problem: ScriptProblem | undefined): void;
}

/** JavaScript with completion by `complete`, asked with the text before the cursor and after it, and with a mark at a problem. */
export function createScript(complete: Complete): Script {
  let shown: EditorView | undefined;
  const source = ({ state, pos }: CompletionContext) => {
    const found = complete(state.sliceDoc(0, pos), state.sliceDoc(pos));
    return found ? { from: found.from, options: found.options, validFor: /^[\w$.-]*$/ } : null;
  };
  return {
    extensions: [
      javascript(),
      autocompletion({ override: [source] }),
      lintGutter(),
      ViewPlugin.define((view) => {
        shown = view;
        return {
          destroy() {
            if (shown === view) shown = undefined;
          },
        };
      }),
    ],
    mark(problem) {
      if (shown) shown.dispatch(setDiagnostics(shown.state, problem ? diagnosticsOf(shown, problem) : []));
    },
  };
}

function diagnosticsOf({ state: { doc } }: EditorView, { message, line, column = 1 }: ScriptProblem) {
  if (line === undefined || line < 1) return [];
  const { from, to } = doc.line(Math.min(line, doc.lines));
  const at = Math.min(to, from + Math.max(0, column - 1));
  return [{ from: at < to ? at : from, to, severity: 'error' as const, message }];
}
