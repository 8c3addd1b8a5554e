import type { TopicPattern } from './conditions/condition.js';

/** Whether a name is one of those that a pattern stands for. */
export function isNamedBy([first = '', ...rest]: TopicPattern, name: string): boolean {
  const last = rest.pop();
  if (last === undefined) return name === first;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}

/** The one name that a pattern stands for; `undefined` when it is known only as the condition runs. */
export const onlyName = (pattern: TopicPattern): string | undefined =>
  pattern.length === 1 ? pattern[0] : undefined;

/** For people. */
export const shownPattern = (pattern: TopicPattern): string => pattern.join('*');

const ofApplication = ['', '.containers', '.physicalOperators', '.logicalOperators', '.events'];

/**
 * The topics that there are when these applications run. Where some have to be left out, that is not the
 * whole of an application.
 */
export const knownTopics = (appIds: readonly string[]): string[] => [
  'cluster.metrics',
  'applications',
  ...ofApplication.flatMap((rest) => appIds.map((id) => `applications.${id}${rest}`)),
];
