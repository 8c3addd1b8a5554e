import { isSafeNumber, parse } from 'lossless-json';

/** Something that may be a number which a double can't hold. */
const manyDigits = /[\d.]{16}/;

/** As `JSON.parse`, but numbers of which a double would lose digits are told as the text that they are. Throws as it does. */
export const exactJson = (text: string): unknown =>
  manyDigits.test(text) ? parse(text, undefined, numberOrText) : JSON.parse(text);

/** With an exponent it is a double itself. */
const numberOrText = (text: string): number | string =>
  /e/i.test(text) || isSafeNumber(text) ? Number(text) : text;
