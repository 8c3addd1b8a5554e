// What Flink takes for one statement, as far as its beginning tells. Nothing is parsed: Flink itself does that.

/** What begins a part that is no text of the statement, and what ends it. */
const closings: Readonly<Record<string, string>> = { '--': '\n', '/*': '*/', "'": "'", '`': '`' };
const openings = /--|\/\*|['`]/g;

/** With a blank for each comment, and for each quoted part unless `keepsQuoted`. In linear time, whatever is not closed. */
function cleared(sql: string, keepsQuoted: boolean): string {
  const opening = new RegExp(openings);
  let text = '';
  let at = 0;
  for (let match = opening.exec(sql); match; match = opening.exec(sql)) {
    const [begin] = match;
    const closing = closings[begin] ?? '';
    const end = sql.indexOf(closing, match.index + begin.length);
    const next = end < 0 ? sql.length : end + closing.length;
    const isKept = keepsQuoted && begin.length === 1;
    text += isKept ? sql.slice(at, next) : `${sql.slice(at, match.index)} `;
    at = next;
    opening.lastIndex = at;
  }
  return text + sql.slice(at);
}

/** The text without what is quoted, comments, and semicolons at its end. */
function bareText(sql: string): string {
  let text = cleared(sql, false).trim();
  while (text.endsWith(';')) text = text.slice(0, -1).trimEnd();
  return text;
}

interface Statement {
  /** Its first word, in upper case; empty: there is none. */
  readonly keyword: string;
  /** It makes a job that runs by itself. */
  readonly makesJob: boolean;
  readonly isSeveral: boolean;
}

export function readStatement(sql: string): Statement {
  const text = bareText(sql);
  const words = text.slice(0, 200).toUpperCase().split(/\s+/, 3);
  const [keyword = ''] = words;
  const isSet = words.join(' ') === 'EXECUTE STATEMENT SET';
  return {
    keyword: /^\w*/.exec(keyword)?.[0] ?? '',
    makesJob: isSet || keyword === 'INSERT',
    isSeveral: !isSet && text.includes(';'),
  };
}

/** `CREATE TABLE ... AS SELECT ...` */
export function fillsTable(sql: string): boolean {
  const text = bareText(sql);
  return (
    /^CREATE\s+(?:OR\s+REPLACE\s+)?(?:\w+\s+)?TABLE\b/i.test(text) && /\bAS\s+(?:SELECT|WITH)\b/i.test(text)
  );
}

/** The option that a `SET` or `RESET` names; empty for one that names none. */
export function optionNamed(sql: string): string {
  const [, name = ''] = /^\s*(?:RE)?SET\s+'?([^\s'=;]*)/i.exec(cleared(sql, true)) ?? [];
  return name;
}
