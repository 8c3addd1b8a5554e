/**
 * The words of a command line, split as a POSIX shell splits them; nothing else of a shell happens: `$`, `*`, `|` and `;`
 * stand for themselves. `problem` says why a line can't be split.
 */
export function commandWords(
  line: string,
): { readonly words: readonly string[]; readonly problem?: undefined } | { readonly problem: string } {
  const words: string[] = [];
  let word: string | undefined;
  let quote: '"' | "'" | undefined;
  for (let at = 0; at < line.length; at++) {
    const character = line.charAt(at);
    if (quote === "'" && character !== "'") word += character;
    else if (character === '\\') {
      const next = line.charAt(++at);
      if (next === '') return { problem: 'ends with a backslash' };
      // Inside of double quotes a backslash means something before few characters only.
      const kept = quote === '"' && !'"\\$`\n'.includes(next) ? '\\' : '';
      word = (word ?? '') + kept + (next === '\n' ? '' : next);
    } else if (character === quote) quote = undefined;
    else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + character;
  }
  if (quote !== undefined) return { problem: `has a ${quote} without its end` };
  if (word !== undefined) words.push(word);
  return { words };
}
