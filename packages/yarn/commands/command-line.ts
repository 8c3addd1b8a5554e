/**
 * The line that the engine's CLI takes: blanks separate words, and outside of quotes `;`, `$` and
 * `#` mean something. Inside of them only the quote and the backslash do. The reader of its options takes away a quote
 * that is first or last in the line: the command's own name is bare, and a blank comes last.
 */
export const commandLine = ([command = '', ...words]: readonly string[]): string =>
  `${[command, ...words.map(quoted)].join(' ')} `;

const escapes: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\t': '\\t',
  '\r': '\\r',
  '\b': '\\b',
  '\f': '\\f',
  '"': '\\"',
  '\\': '\\\\',
};

const quoted = (word: string): string =>
  `"${[...word].map((character) => escapes[character] ?? character).join('')}"`;

/** The engine's way to write settings down; they may be anything that XML can hold. */
export const settingsXml = (settings: Readonly<Record<string, string>>): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<configuration>\n${Object.entries(settings)
    .map(([name, value]) => `  <property><name>${xml(name)}</name><value>${xml(value)}</value></property>\n`)
    .join('')}</configuration>\n`;

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const xml = (text: string): string => [...text].map((character) => entities[character] ?? character).join('');
