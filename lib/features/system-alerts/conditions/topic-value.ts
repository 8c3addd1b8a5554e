/** A value that nothing can change, of JSON text. Strings that are numbers become numbers (`resolved-gaps.md` G39). */
export function topicValue(text: string): unknown {
  return frozen(JSON.parse(text));
}

/** What `JSON.parse` makes has own data members only. */
function frozen(value: unknown): unknown {
  if (typeof value === 'string') return numberOr(value);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) value[index] = frozen(value[index]);
  } else {
    for (const [key, member] of Object.entries(value)) {
      const made = frozen(member);
      if (made !== member) Object.defineProperty(value, key, { value: made });
    }
  }
  return Object.freeze(value);
}

/** Only what comes out as it went in: `007`, ids of 64 bits and versions stay texts. */
function numberOr(text: string): string | number {
  const first = text.charCodeAt(0);
  if (text.length > 20 || !(first === 45 || (first >= 48 && first <= 57))) return text;
  const number = Number(text);
  return Math.abs(number) <= Number.MAX_SAFE_INTEGER && String(number) === text ? number : text;
}
