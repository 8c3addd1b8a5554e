/** Higher is graver; `OFF` lets nothing through, `ALL` everything. */
export const severities = {
  ALL: 0,
  TRACE: 1,
  DEBUG: 2,
  INFO: 3,
  WARN: 4,
  ERROR: 5,
  FATAL: 6,
  OFF: 7,
} as const;

export interface LoggerTarget {
  /** A logger's name, or a package followed by `.*`. */
  readonly target: string;
  readonly logLevel: string;
}

/** The level of the longest target that matches; `''` when none does. */
export function levelOf(targets: readonly LoggerTarget[], name: string): keyof typeof severities | '' {
  let best = '';
  let level: keyof typeof severities | '' = '';
  for (const { target, logLevel } of targets) {
    if (target.length >= best.length && matches(target, name) && isLevel(logLevel)) {
      best = target;
      level = logLevel;
    }
  }
  return level;
}

/** What is in force after setting `added`: a wide target removes the narrower ones beneath it. */
export function withTargets(
  existing: readonly LoggerTarget[],
  added: readonly LoggerTarget[],
): readonly LoggerTarget[] {
  const kept = new Map(existing.map((one) => [one.target, one]));
  for (const next of added) {
    // Comes last, as the newest.
    kept.delete(next.target);
    if (isWide(next.target)) {
      const prefix = prefixOf(next.target);
      for (const target of kept.keys()) if (target.startsWith(prefix)) kept.delete(target);
    }
    kept.set(next.target, next);
  }
  return [...kept.values()];
}

const isLevel = (text: string): text is keyof typeof severities => Object.hasOwn(severities, text);

const matches = (target: string, name: string): boolean =>
  isWide(target) ? name.startsWith(prefixOf(target)) : name === target;

const isWide = (target: string): boolean => target.endsWith('.*');
const prefixOf = (wide: string): string => wide.slice(0, -1);
