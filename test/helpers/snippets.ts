import { readFileSync } from 'node:fs';

export interface Snippet {
  /** Empty when none is said. */
  readonly language: string;
  /** `name=value` words after the language: what the snippet is for. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly text: string;
}

const fence = /^```(\w*)([^\n]*)\n([\s\S]*?)^```$/gm;

/** The fenced blocks of a document, in order. */
export function snippetsOf(file: string | URL): Snippet[] {
  return [...readFileSync(file, 'utf8').matchAll(fence)].map(([, language = '', words = '', text = '']) => ({
    language,
    attributes: Object.fromEntries(
      words
        .trim()
        .split(/\s+/)
        .filter(Boolean)
        .map((word) => word.split('=', 2)),
    ),
    text,
  }));
}

/** The snippet of a page with this word, or with the word at this value; throws when there is none. */
export function snippetIn(snippets: readonly Snippet[], word: string, value = ''): Snippet {
  const found = snippets.find(({ attributes }) => word in attributes && (attributes[word] ?? '') === value);
  if (!found) throw new Error(`The page has no ${word} ${value}`);
  return found;
}
