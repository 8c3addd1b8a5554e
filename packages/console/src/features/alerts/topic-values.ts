/** What `_topic` holds: the newest data of each topic, by its name. */
export type TopicData = Readonly<Record<string, unknown>>;

export type Step = string;

const maxLength = 60;

/** A value in a few characters. */
export function brief(value: unknown): string {
  if (value === undefined) return 'nothing there';
  if (Array.isArray(value)) return `[${value.length} ${value.length === 1 ? 'item' : 'items'}]`;
  if (typeof value === 'object' && value !== null) {
    const { length } = Object.keys(value);
    return `{${length} ${length === 1 ? 'field' : 'fields'}}`;
  }
  const text = JSON.stringify(value) ?? String(value);
  return text.length > maxLength ? `${text.slice(0, maxLength - 1)}…` : text;
}

/** What is there at the end of a path of names. */
export const valueAt = (data: unknown, steps: readonly Step[]): unknown =>
  steps.reduce<unknown>(
    (value, step) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, step)
        ? (value as Record<string, unknown>)[step]
        : undefined,
    data,
  );

const member = String.raw`(?:\?\.|\.)\s*[A-Za-z_$][\w$]*`;
const index = String.raw`(?:\?\.)?\[\s*(?:'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|\d+)\s*\]`;
/** `_topic`, then one step or more: `_topic['cluster.metrics'].cpuPercentage`. */
export const pathPattern = String.raw`(?<![\w$.])_topic((?:${member}|${index})+)`;
const step = /(?:\?\.|\.)\s*([A-Za-z_$][\w$]*)|(?:\?\.)?\[\s*(?:(\d+)|(['"])(.*?)\3)\s*\]/g;

/** The names in a path as it is written; `.apps[0]?.id` is `apps`, `0`, `id`. */
export const stepsOf = (written: string): readonly Step[] =>
  [...written.matchAll(step)].map(
    ([, name, number, , quoted]) => name ?? number ?? (quoted ?? '').replace(/\\(.)/g, '$1'),
  );
