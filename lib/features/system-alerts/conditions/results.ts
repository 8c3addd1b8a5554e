import type { ConditionResult } from './condition.js';
import type { Line } from './protocol.js';

export const tooLong = (limitMillis: number): string =>
  `It took longer than ${limitMillis} ms and was stopped`;

/** Most results are one of these, the same objects in each round. */
const plain: Readonly<Record<string, ConditionResult>> = {
  0: { is: 'evaluated', holds: false, millis: 0 },
  1: { is: 'evaluated', holds: true, millis: 0 },
  '-': { is: 'skipped', because: 'owner' },
};

/** Of the next conditions, what a process said of them. */
export function resultsOf({ done, told }: Line & { is: 'progress' }, limitMillis: number): ConditionResult[] {
  const more = told.map((outcome): ConditionResult => {
    if ('stopped' in outcome) return { is: 'stopped', message: tooLong(limitMillis) };
    if ('error' in outcome) return { is: 'failed', message: outcome.error };
    return { is: 'evaluated', ...outcome };
  });
  let next = 0;
  return Array.from(
    done,
    (character) => plain[character] ?? more[next++] ?? { is: 'skipped', because: 'others' },
  );
}
