export type Fields = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** An own field, or `null`: what an object inherits (`constructor`) is nobody's data. */
export const fieldOf = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? (value[name] ?? null) : null;

/** JSON text, or the plain text of what JSON has no form for (`undefined`, a bigint). */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    return String(value);
  }
}

/** The first `length` characters, with a sign that there were more. */
export const shorten = (text: string, length: number): string =>
  text.length <= length ? text : `${text.slice(0, length)}…`;

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
