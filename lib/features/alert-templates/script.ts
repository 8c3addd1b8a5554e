import { type Comment, parse, type Token, tokTypes } from 'acorn';

/** A script cut at its placeholders. */
type Pieces = readonly (string | Placeholder)[];

/** `{{variable}}` or `{{variable.key}}`. */
export interface Placeholder {
  readonly variable: string;
  /** The key of a choice instead of what it shows. */
  readonly isKey: boolean;
  /** As written. */
  readonly source: string;
  /** `code`: it is an expression. `text`: it stands inside a string, a template or a comment. */
  readonly stands: 'code' | 'text';
}

/** What is wrong with a script, in a sentence with its place. */
export class ScriptProblem extends Error {}

const placeholders = /\{\{\s*([A-Za-z_]\w{0,63})(\.key)?\s*\}\}/g;
const maxPlaceholders = 500;
/** Different words, names among them: the parser compares each name that is declared with all others. */
const maxWords = 2_000;
const word = /(?:\\u\{\w+\}|[\w$\\\u0080-\uffff])+/g;
/** Stands for a placeholder while the script is parsed. */
const markPrefix = '__headgate_value_';

/**
 * Finds out with a JavaScript parser where each placeholder stands, so that its value can be written there as a literal
 * and never as code. Throws `ScriptProblem`.
 */
export function readTemplateScript(script: string): Pieces {
  if (script.includes(markPrefix)) throw new ScriptProblem(`${markPrefix} may not occur`);
  const cuts = cutAtPlaceholders(script);
  // Between two of them, before the first and behind the last stands text.
  if (cuts.length > 2 * maxPlaceholders + 1)
    throw new ScriptProblem(`there are more than ${maxPlaceholders} {{}}`);
  if (new Set(script.match(word)).size > maxWords)
    throw new ScriptProblem(`there are more than ${maxWords.toLocaleString('en')} different words`);
  const { text, starts } = join(cuts, (_, index) => markOf(index));
  const { tokens, comments } = parsed(text, cuts, starts);

  const parts = [...tokens, ...comments].sort((one, other) => one.start - other.start);
  let at = 0;
  return cuts.map((cut, index) => {
    if (typeof cut === 'string') return cut;
    const start = starts[index] ?? 0;
    const end = start + markOf(index).length;
    while ((parts[at]?.end ?? end) < end) at++;
    const part = parts[at];
    const around = part && part.start <= start ? part : undefined;
    if (around?.type === tokTypes.name && around.start === start && around.end === end)
      return { ...cut, stands: 'code' };
    if (around && isText(around)) return { ...cut, stands: 'text' };
    const why =
      around?.type === tokTypes.regexp
        ? 'stands in a pattern: use new RegExp'
        : 'touches a name: leave a blank';
    throw new ScriptProblem(`${placeOf(start, cuts, starts)}: ${cut.source} ${why}`);
  });
}

/** `write` gives what stands for each placeholder. */
export function writeScript(pieces: Pieces, write: (placeholder: Placeholder) => string): string {
  return join(pieces, write).text;
}

/** Throws `ScriptProblem` when the script with these values would not parse: a value can't stand everywhere. */
export function checkWritten(pieces: Pieces, write: (placeholder: Placeholder) => string): void {
  const { text, starts } = join(pieces, write);
  parsed(text, pieces, starts);
}

type Cut = string | Omit<Placeholder, 'stands'>;

function cutAtPlaceholders(script: string): readonly Cut[] {
  const cuts: Cut[] = [];
  let from = 0;
  for (const { 0: source, 1: variable = '', 2: key, index } of script.matchAll(placeholders)) {
    cuts.push(script.slice(from, index), { variable, isKey: key !== undefined, source });
    from = index + source.length;
  }
  return [...cuts, script.slice(from)];
}

/** `starts`: where each piece begins in `text`. */
function join<P extends { readonly source: string }>(
  pieces: readonly (string | P)[],
  write: (piece: P, index: number) => string,
): { readonly text: string; readonly starts: readonly number[] } {
  const starts: number[] = [];
  let text = '';
  pieces.forEach((piece, index) => {
    starts.push(text.length);
    text += typeof piece === 'string' ? piece : write(piece, index);
  });
  return { text, starts };
}

const markOf = (index: number): string => `${markPrefix}${index}_`;

function parsed(text: string, pieces: readonly Cut[], starts: readonly number[]) {
  const tokens: Token[] = [];
  const comments: Comment[] = [];
  try {
    parse(text, {
      ecmaVersion: 'latest',
      onToken: tokens,
      onComment: comments,
    });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const at = 'pos' in error && typeof error.pos === 'number' ? error.pos : 0;
    const what = error.message.replace(/ \(\d+:\d+\)$/, '').replaceAll(/__headgate_value_\d+_/g, 'a value');
    throw new ScriptProblem(`${placeOf(at, pieces, starts)}: ${what}`);
  }
  return { tokens, comments };
}

const isText = ({ type }: Token | Comment): boolean =>
  type === tokTypes.string || type === tokTypes.template || type === 'Line' || type === 'Block';

/** `line 1, column 5` of the script as it was written, for an offset in the text that was parsed. */
function placeOf(at: number, pieces: readonly Cut[], starts: readonly number[]): string {
  const last = starts.findLastIndex((start) => start <= at);
  const before = pieces
    .slice(0, Math.max(last, 0))
    .map((piece) => (typeof piece === 'string' ? piece : piece.source))
    .join('');
  const piece = pieces[last];
  const inPiece = typeof piece === 'string' ? piece.slice(0, at - (starts[last] ?? 0)) : '';
  const lines = `${before}${inPiece}`.split('\n');
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}
