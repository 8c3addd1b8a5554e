import { isKnown, unknown } from './number.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;

const pair = (millis: number, large: number, largeSign: string, small: number, smallSign: string): string => {
  const all = Math.floor(millis / small);
  const [first, rest] = [Math.floor((all * small) / large), all % Math.round(large / small)];
  return rest === 0 ? `${first} ${largeSign}` : `${first} ${largeSign} ${rest} ${smallSign}`;
};

/** `850 µs`, `12 ms`, `3.2 s`, `4 min 10 s`, `2 d 3 h`. */
export function duration(millis: number | undefined | null): string {
  if (!isKnown(millis) || millis < 0) return unknown;
  if (millis === 0) return '0 ms';
  if (millis < 1) return `${Math.round(millis * 1000)} µs`;
  if (millis < second) return `${Math.round(millis)} ms`;
  if (millis < minute) return `${Number((Math.floor(millis / 100) / 10).toFixed(1))} s`;
  if (millis < hour) return pair(millis, minute, 'min', second, 's');
  if (millis < day) return pair(millis, hour, 'h', minute, 'min');
  return pair(millis, day, 'd', hour, 'h');
}

/** One unit only: `12 s`, `4 min`, `3 h`, `2 d`. */
export function age(millis: number | undefined | null): string {
  if (!isKnown(millis)) return unknown;
  const past = Math.max(0, millis);
  if (past < minute) return `${Math.floor(past / second)} s`;
  if (past < hour) return `${Math.floor(past / minute)} min`;
  if (past < day) return `${Math.floor(past / hour)} h`;
  return `${Math.floor(past / day)} d`;
}
