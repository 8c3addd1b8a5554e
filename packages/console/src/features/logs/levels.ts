/** From the least to the worst. */
export const levels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL'] as const;
export type Level = (typeof levels)[number];

const words: Readonly<Record<string, Level>> = {
  TRACE: 'TRACE',
  FINEST: 'TRACE',
  DEBUG: 'DEBUG',
  FINE: 'DEBUG',
  INFO: 'INFO',
  NOTICE: 'INFO',
  WARN: 'WARN',
  WARNING: 'WARN',
  ERROR: 'ERROR',
  SEVERE: 'ERROR',
  CRITICAL: 'FATAL',
  FATAL: 'FATAL',
};

/** In capitals, as most write it; in any letters where it can be nothing else: `[warn]`, `level=warn`, `"level":"warn"`. */
const capitals = new RegExp(`(?<![\\w.-])(${Object.keys(words).join('|')})(?![\\w.-])`);
const marked = new RegExp(`(?:\\[|level"?[=:]\\s*"?)(${Object.keys(words).join('|')})\\b`, 'i');

/** Levels stand near the start of a line. */
const reach = 160;

export function levelIn(text: string): Level | undefined {
  const start = text.slice(0, reach);
  const found = capitals.exec(start)?.[1] ?? marked.exec(start)?.[1];
  return found === undefined ? undefined : words[found.toUpperCase()];
}

export const isLevel = (text: unknown): text is Level => levels.some((level) => level === text);

/** Those of this level and of worse ones. Lines before the first that says its level are shown. */
export const isAtLeast = (level: Level | undefined, least: Level): boolean =>
  level === undefined || levels.indexOf(level) >= levels.indexOf(least);
