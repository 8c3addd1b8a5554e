/** As `JSON.parse`, but whole numbers beyond 2^53 are told as the text that they are, to the last digit. Throws as it does. */
export function exactJson(text: string): unknown {
  if (!/\d{16}/.test(text)) return JSON.parse(text);
  const parts: string[] = [];
  const token = /["\d-]/g;
  let kept = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const { index } = found;
    if (found[0] === '"') {
      token.lastIndex = endOfString(text, index);
      continue;
    }
    const number = numberAt(text, index);
    token.lastIndex = index + number.length;
    if (!isLarge(number)) continue;
    parts.push(text.slice(kept, index), `"${number}"`);
    kept = token.lastIndex;
  }
  return JSON.parse(`${parts.join('')}${text.slice(kept)}`);
}

const isLarge = (number: string): boolean =>
  /^-?[1-9]\d{15,}$/.test(number) && !Number.isSafeInteger(Number(number));

function numberAt(text: string, start: number): string {
  const number = /[-+.\deE]+/y;
  number.lastIndex = start;
  return number.exec(text)?.[0] ?? '';
}

/** Behind its quote. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}
