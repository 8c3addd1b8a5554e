import { BadRequest } from '../model/errors.js';

/**
 * What stands behind the prefix of a proxy, as it may be put behind the base of its target: dots resolved as every URL
 * parser does it, nothing else changed, never above the prefix. What only another reader of the path (one that decodes
 * twice, that takes a backslash for a slash, or `;` for the end of a segment) would take for a way up is refused.
 */
export function normalRest(rest: string): string {
  if (plain.test(rest)) return rest;
  if (!visible.test(rest)) throw outside('holds characters that have to be percent-encoded');
  if (/%(?![0-9a-f]{2})/i.test(rest)) throw outside('is not well-formed percent-encoding');
  const kept: string[] = [];
  const segments = rest.split('/');
  segments.forEach((segment, i) => {
    const dots = segment.replace(/%2e/gi, '.');
    if (dots === '..' && kept.pop() === undefined) throw outside('leads out of it');
    // A path that ends in dots ends in a slash.
    if (dots !== '..' && dots !== '.') kept.push(segment);
    else if (i === segments.length - 1) kept.push('');
  });
  if (kept.some(hidesDots)) throw outside('hides a way up');
  return kept.join('/');
}

const visible = /^[!-~]*$/;
/** Most are: nothing in them is read in two ways (no `%`, `.`, `;` and `\`). */
const plain = /^[!-$&--/-:<-[\]-~]*$/;

/** Decoded as often as anybody might. */
function hidesDots(segment: string): boolean {
  let text = segment;
  for (let round = 0; round < maxRounds; round++) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for
    if (/[\\\u0000-\u001f\u007f]/.test(text)) return true;
    if (text.split('/').some((part) => /^\.\.?(;.*)?$/.test(part))) return true;
    const next = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (next === text) return false;
    text = next;
  }
  return true;
}

/** Somebody who encodes more often hides something. */
const maxRounds = 6;

const outside = (what: string) => new BadRequest('MALFORMED_PATH', `The path behind the proxy ${what}`);
