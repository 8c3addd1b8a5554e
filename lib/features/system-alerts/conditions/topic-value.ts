/** A value that nothing can change, of JSON text: `docs/decisions.md`, Numbers in conditions. */
export function topicValue(text: string): unknown {
  return frozen(JSON.parse(text));
}

/**
 * What `JSON.parse` makes has own data members only, so assigning calls nothing, whatever the member's name. Defining
 * them anew, and lists of their names, would cost more than parsing did.
 */
function frozen(value: unknown): unknown {
  if (typeof value === 'string') return numberOr(value);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const made = frozen(value[index]);
      if (made !== value[index]) value[index] = made;
    }
    return Object.freeze(value);
  }
  if (!isObject(value)) return value;
  for (const key in value) {
    const made = frozen(value[key]);
    if (made !== value[key]) value[key] = made;
  }
  return Object.freeze(value);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

/** Only what comes out as it went in: `007`, ids of 64 bits and versions stay texts. */
function numberOr(text: string): string | number {
  const first = text.charCodeAt(0);
  if (text.length > 20 || !(first === 45 || (first >= 48 && first <= 57))) return text;
  const number = Number(text);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER && String(number) === text ? number : text;
}
