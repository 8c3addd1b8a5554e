/** As the API takes them. */
export const loggerLevels = ['TRACE', 'DEBUG', 'INFO', 'WARN', 'ERROR', 'FATAL', 'OFF', 'ALL'] as const;
export type LoggerLevel = (typeof loggerLevels)[number];

export const isLoggerLevel = (text: unknown): text is LoggerLevel =>
  loggerLevels.some((level) => level === text);

const target = /^\w+(?:\.\w+)*(?:\.\*)?$/;

/** Whether a level can be set for it: a class, or a package followed by `.*`. */
export const isTarget = (text: string): boolean => target.test(text);

/** A search looks at whole names; somebody who types a part of one means any place in it. */
export const patternFor = (typed: string): string =>
  `.*${typed.replace(/\.\*$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}.*`;
