/**
 * Names of properties as the engine takes them: `limit`, and for what is inside of one `range.low`, `ranges[0].low`,
 * `named(first).low`.
 */
interface PropertyPath {
  readonly head: string;
  readonly parts: readonly string[];
}

const part = /\.([^.[(]+)|\[(\d{1,9})\]|\(([^)]*)\)/y;

/** A name that is no path is a head without parts: there will be none of that name. */
export function propertyPathOf(name: string): PropertyPath {
  const [head = ''] = /^[^.[(]*/.exec(name) ?? [];
  const parts: string[] = [];
  part.lastIndex = head.length;
  while (part.lastIndex < name.length) {
    const found = part.exec(name);
    if (!found || head === '') return { head: name, parts: [] };
    parts.push(found[1] ?? found[2] ?? found[3] ?? '');
  }
  return { head, parts };
}

/** `undefined`: there is no such part. */
export function partOf(value: unknown, parts: readonly string[]): unknown {
  let found = value;
  for (const name of parts) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = Object.entries(found).find(([key]) => key === name)?.[1];
  }
  return found;
}

/** A copy with another value in that place; the same where there is no such place. */
export function withPart(value: unknown, parts: readonly string[], changed: unknown): unknown {
  const [first, ...rest] = parts;
  if (first === undefined) return changed;
  if (partOf(value, [first]) === undefined) return value;
  if (Array.isArray(value))
    return value.map((one, index) => (String(index) === first ? withPart(one, rest, changed) : one));
  return Object.fromEntries(
    Object.entries(value ?? {}).map(([key, one]) => [
      key,
      key === first ? withPart(one, rest, changed) : one,
    ]),
  );
}
