/** One part of a collection. Times are epoch milliseconds. */
export interface PartEntry {
  readonly number: number;
  readonly first: number;
  readonly last: number;
  /** Items, which may be fewer than lines. */
  readonly count: number;
  /** What the format tells of a part besides. */
  readonly extra?: string;
}

const partLine = /^F:part(\d{1,9})\.txt:(-?\d{1,15})-(-?\d{1,15}):(\d{1,15})(?::T:(.*))?$/s;

export const partName = (number: number): string => `part${number}.txt`;

/** The number in `part12.txt`; `undefined` for any other name. */
export function partNumber(name: string): number | undefined {
  const digits = /^part(\d{1,9})\.txt$/.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** `end`: nothing will be appended any more. `undefined`: no line of an index. */
export function parseIndexLine(line: string): PartEntry | 'end' | undefined {
  if (line.startsWith('E')) return 'end';
  const match = partLine.exec(line);
  if (!match) return undefined;
  const [, number, first, last, count, extra] = match;
  return {
    number: Number(number),
    first: Number(first),
    last: Number(last),
    count: Number(count),
    ...(extra === undefined ? {} : { extra }),
  };
}

export function formatIndexLine({ number, first, last, count, extra }: PartEntry): string {
  const more = extra === undefined ? '' : `:T:${extra}`;
  return `F:${partName(number)}:${first}-${last}:${count}${more}`;
}

export interface PartIndex {
  /** Closed parts, in the order of their numbers. */
  readonly parts: readonly PartEntry[];
  readonly ended: boolean;
}

/** A last line without its end was cut by a crash and does not count. */
export function parseIndex(text: string): PartIndex {
  const lines = text.split('\n').slice(0, -1).map(parseIndexLine);
  const parts = lines.filter((line) => line !== undefined && line !== 'end');
  return {
    parts: parts.sort((one, other) => one.number - other.number),
    ended: lines.includes('end'),
  };
}

export const formatIndex = ({ parts, ended }: PartIndex): string =>
  [...parts.map(formatIndexLine), ...(ended ? ['E'] : [])].map((line) => `${line}\n`).join('');

/** The part that is being written. */
export const openPartOf = ({ parts }: PartIndex): number => (parts.at(-1)?.number ?? -1) + 1;
