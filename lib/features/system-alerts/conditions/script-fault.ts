/** A text that is no condition. `line` and `column` count from 1. */
export class ScriptFault extends Error {
  readonly line: number | undefined;
  readonly column: number | undefined;

  /** `at` as the parser counts: columns from 0. */
  constructor(message: string, at?: { readonly line: number; readonly column: number }) {
    super(message);
    this.name = 'ScriptFault';
    this.line = at?.line;
    this.column = at && at.column + 1;
  }
}
