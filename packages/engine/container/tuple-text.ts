import { inspect } from 'node:util';

/** A tuple as JSON on one line. What has no JSON form is shown as text, as far as people need it. Never throws. */
export function jsonOf(tuple: unknown): string {
  try {
    return JSON.stringify(tuple) ?? shown(tuple);
  } catch {
    return withBigInts(tuple);
  }
}

function withBigInts(tuple: unknown): string {
  try {
    const text = JSON.stringify(tuple, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
    return text ?? shown(tuple);
  } catch {
    return shown(tuple);
  }
}

function shown(tuple: unknown): string {
  try {
    return JSON.stringify(
      inspect(tuple, { depth: 4, maxArrayLength: 100, maxStringLength: 1000, customInspect: false }),
    );
  } catch {
    return '"(a tuple that can\'t be shown)"';
  }
}
