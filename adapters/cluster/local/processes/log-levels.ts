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
  return added.reduce<readonly LoggerTarget[]>(
    (kept, next) => [
      ...kept.filter(({ target }) => target !== next.target && !matches(next.target, target)),
      next,
    ],
    existing,
  );
}

const isLevel = (text: string): text is keyof typeof severities => Object.hasOwn(severities, text);

const matches = (target: string, name: string): boolean =>
  target.endsWith('.*') ? name.startsWith(target.slice(0, -1)) : name === target;
