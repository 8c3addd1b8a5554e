import { brief, pathPattern, stepsOf, type TopicData, valueAt } from './topic-values.js';

interface Option {
  readonly label: string;
  /** What is written. */
  readonly apply: string;
  /** What is there now. */
  readonly detail: string;
}

interface Completions {
  /** Where what is replaced begins, in characters from the start of the text. */
  readonly from: number;
  readonly options: readonly Option[];
}

const identifier = /^[A-Za-z_$][\w$]*$/;
/** Methods of lists that conditions are made of. */
const methods = ['some', 'every', 'find', 'filter', 'map', 'includes'];

const quotedName = /(?<![\w$.])_topic(?:\?\.)?\[\s*(['"])((?:(?!\1)[^\\\n])*)$/;
const openBracket = /(?<![\w$.])_topic(?:\?\.)?\[\s*$/;
const namedMember = /(?<![\w$.])_topic(?:\?\.|\.)([\w$]*)$/;
const field = new RegExp(String.raw`${pathPattern}(?:\?\.|\.)([\w$]*)$`);
const beginning = /(?<![\w$.'"\]])(_t?o?p?i?c?)$/;

/** What may come between the text before the cursor and the text after it; `undefined` where nothing is known. */
export function completionsAt(before: string, after: string, data: TopicData): Completions | undefined {
  const options = (typed: string, all: readonly Option[]): Completions => ({
    from: before.length - typed.length,
    options: all,
  });
  const topics = Object.entries(data);
  const inQuotes = quotedName.exec(before);
  if (inQuotes) {
    const [, quote = "'", typed = ''] = inQuotes;
    const close = after.startsWith(quote) ? '' : `${quote}]`;
    return options(
      typed,
      topics.map(([name, value]) => option(name, `${escaped(name, quote)}${close}`, value)),
    );
  }
  if (openBracket.test(before)) {
    const close = after.startsWith(']') ? '' : ']';
    return options(
      '',
      topics.map(([name, value]) => option(name, `'${escaped(name, "'")}'${close}`, value)),
    );
  }
  const [, member] = namedMember.exec(before) ?? [];
  if (member !== undefined)
    return options(
      member,
      topics.filter(([name]) => identifier.test(name)).map(([name, value]) => option(name, name, value)),
    );
  const [, path, typed] = field.exec(before) ?? [];
  if (path !== undefined && typed !== undefined)
    return options(typed, fieldsOf(valueAt(data, stepsOf(path))));
  const [, begun] = beginning.exec(before) ?? [];
  return begun === undefined ? undefined : options(begun, [option('_topic', '_topic', data)]);
}

function fieldsOf(value: unknown): readonly Option[] {
  if (Array.isArray(value))
    return [
      option('length', 'length', value.length),
      ...methods.map((name) => option(name, `${name}(`, value)),
    ];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value)
    .filter(([name]) => identifier.test(name))
    .map(([name, inside]) => option(name, name, inside));
}

const option = (label: string, apply: string, value: unknown): Option => ({
  label,
  apply,
  detail: brief(value),
});

const escaped = (name: string, quote: string): string =>
  name.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`);
