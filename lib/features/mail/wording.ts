// How things are said in mails. Pure; everything that comes from users is cleaned here.

/** Control characters and those that turn the direction of what follows: readers would be shown something else. */
const invisible = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** One line, at most `max` characters: for headers and cells. */
export function oneLine(text: string, max: number): string {
  const line = wellFormed(text.replace(invisible, ' ')).replace(/ {2,}/g, ' ').trim();
  return cut(line, max);
}

/** Line breaks stay, other invisible characters go. */
export function paragraphs(text: string, max: number): string {
  const lines = text.replace(/\r\n?|[\u0085\u2028\u2029]/g, '\n').split('\n');
  return cut(
    wellFormed(lines.map((line) => line.replace(/\t/g, '  ').replace(invisible, '')).join('\n')).trim(),
    max,
  );
}

/** Never through the middle of a character. */
function cut(text: string, max: number): string {
  const characters = [...text.slice(0, 2 * max + 2)];
  return characters.length > max ? `${characters.slice(0, max - 1).join('')}…` : text;
}

/** Half of a pair of surrogates can't be written in UTF-8. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\ufffd');

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For content and for attributes in quotes. */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (found) => entities[found] ?? '');

/** `2026-11-21 23:14:20 UTC`. */
export function timeText(epochMillis: number): string {
  const time = new Date(epochMillis);
  if (Number.isNaN(time.getTime())) return 'unknown';
  return `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `2 d 3 h`, `5 min 10 s`, `0.4 s`: the two largest units. */
export function durationText(millis: number): string {
  if (!(millis >= 0)) return 'unknown';
  if (millis < 10_000) return `${Math.round(millis / 100) / 10} s`;
  let rest = Math.round(millis / 1000);
  const parts: string[] = [];
  for (const [unit, seconds] of units) {
    const count = Math.floor(rest / seconds);
    rest -= count * seconds;
    if (parts.length > 0 || count > 0) parts.push(count > 0 ? `${count} ${unit}` : '');
    if (parts.length === 2) break;
  }
  return parts.filter((part) => part !== '').join(' ');
}

const units: readonly (readonly [unit: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
];
