import { parse } from 'lossless-json';

/** Something that may be an integer which a double can't hold. */
const manyDigits = /\d{16}/;

/** As `JSON.parse`, but whole numbers beyond 2^53 are told as the text that they are, to the last digit. Throws as it does. */
export const exactJson = (text: string): unknown =>
  manyDigits.test(text) ? parse(text, undefined, numberOrText) : JSON.parse(text);

function numberOrText(text: string): number | string {
  const number = Number(text);
  return /^-?\d+$/.test(text) && !Number.isSafeInteger(number) ? text : number;
}
