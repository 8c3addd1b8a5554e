/** What a text in Markdown consists of, as far as the gateway writes it. Nothing in it becomes markup: all texts stay texts. */
export type Block =
  | { readonly kind: 'heading'; readonly level: number; readonly parts: readonly Inline[] }
  | { readonly kind: 'paragraph'; readonly parts: readonly Inline[] }
  | { readonly kind: 'list'; readonly items: readonly (readonly Inline[])[] }
  | { readonly kind: 'code'; readonly text: string };

export interface Inline {
  readonly text: string;
  readonly isCode: boolean;
}

/** Headings, fences, lists and paragraphs, with spans of code in them. Whatever else there is stays as it was written. */
export function blocksOf(markdown: string): readonly Block[] {
  const lines = markdown.replace(/\r\n?/g, '\n').split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; ) {
    const { block, next } = blockAt(lines, at);
    if (block) blocks.push(block);
    at = next;
  }
  return blocks;
}

const opening = /^(`{3,})[^`]*$/;
const heading = /^(#{1,6})\s+(.*?)(?:\s+#+)?$/;
const item = /^[-*]\s+/;

function blockAt(lines: readonly string[], at: number): { block: Block | undefined; next: number } {
  const line = lines[at] ?? '';
  const [, fence] = opening.exec(line) ?? [];
  if (fence !== undefined) {
    const end = lines.findIndex((text, index) => index > at && closes(text, fence));
    const until = end === -1 ? lines.length : end;
    return { block: { kind: 'code', text: lines.slice(at + 1, until).join('\n') }, next: until + 1 };
  }
  const [, marks = '', title = ''] = heading.exec(line) ?? [];
  if (marks !== '')
    return { block: { kind: 'heading', level: marks.length, parts: inlinesOf(title) }, next: at + 1 };
  if (line.trim() === '') return { block: undefined, next: at + 1 };
  const next = endOf(lines, at, item.test(line));
  const texts = lines.slice(at, next);
  const block: Block = item.test(line)
    ? { kind: 'list', items: texts.map((text) => inlinesOf(text.replace(item, ''))) }
    : { kind: 'paragraph', parts: inlinesOf(texts.join(' ')) };
  return { block, next };
}

const closes = (line: string, fence: string): boolean => {
  const text = line.trimEnd();
  return text.length >= fence.length && /^`+$/.test(text);
};

/** Where a list or a paragraph that begins at `at` is over. */
function endOf(lines: readonly string[], at: number, isList: boolean): number {
  const ends = (line: string) =>
    line.trim() === '' || opening.test(line) || heading.test(line) || item.test(line) !== isList;
  const end = lines.findIndex((line, index) => index > at && ends(line));
  return end === -1 ? lines.length : end;
}

/** Code stands between two runs of backticks of the same length; a space on both sides belongs to them. */
function inlinesOf(text: string): readonly Inline[] {
  const parts: Inline[] = [];
  let from = 0;
  for (const { 0: all, 2: code = '', index } of text.matchAll(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/g)) {
    if (index > from) parts.push({ text: text.slice(from, index), isCode: false });
    const isPadded = code.startsWith(' ') && code.endsWith(' ') && code.trim() !== '';
    parts.push({ text: isPadded ? code.slice(1, -1) : code, isCode: true });
    from = index + all.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isCode: false });
  return parts;
}
