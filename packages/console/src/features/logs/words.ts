import { bytes } from '../../format/bytes.js';
import { exactCount } from '../../format/number.js';

const counted = (count: number, one: string, other: string): string =>
  `${exactCount(count)} ${count === 1 ? one : other}`;

export const words = {
  title: (log: string, container: string) => `${log} of ${container}`,
  container: 'Container',
  follow: 'Follow',
  wrap: 'Wrap',
  levels: 'Levels',
  allLevels: 'All levels',
  fromLevel: (level: string) => `${level} and worse`,
  download: 'Download',
  goTo: 'Go to',
  goToHint: 'A time as the log writes it (17:46, 2026-11-26 17:46:22) or a byte (byte:1048576)',
  go: 'Go',
  going: 'Looking for the time…',
  noSuchPlace: 'That is neither a time nor a byte',
  noTimes: 'No line of this log begins with a date and a time',
  newLines: (count: number, isMore: boolean) =>
    count === 0
      ? '↓ to the end'
      : `↓ ${isMore ? 'more than ' : ''}${counted(count, 'new line', 'new lines')}`,
  rotated: 'The log was rotated, continued at 0',
  empty: 'Nothing is written in this log yet',
  emptyHint: 'It is looked at again and again: what is written appears here by itself.',
  allHidden: 'No line that is loaded has this level',
  allHiddenHint: 'Lines above and below are loaded as you scroll; a search looks through the whole log.',
  showAllLevels: 'Show all levels',
  showMore: (size: number) => `… ${bytes(size)}, show more`,
  keepLine: (size: number) => `… ${bytes(size)}, download this line`,
  rail: 'Place in the log',
  railAt: (offset: number, length: number) => `byte ${exactCount(offset)} of ${exactCount(length)}`,
  search: 'Search the whole log',
  searchHint: 'Regular expression (RE2)',
  searchNow: 'Search',
  stop: 'Stop',
  upwards: 'Upwards first',
  downwards: 'Downwards first',
  previous: 'Previous hit (p)',
  next: 'Next hit (n)',
  progress: (searched: number, length: number, hits: number, isDone: boolean) =>
    `${isDone ? 'searched all of' : `searched ${bytes(searched)} of`} ${bytes(length)}, ${counted(hits, 'hit', 'hits')}`,
  tooMany: (most: number) => `the first ${exactCount(most)} are shown: search for less`,
  hit: 'hit',
};
