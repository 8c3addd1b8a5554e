import { plural } from '../../shell/words.js';

export const words = {
  title: 'Events',
  newest: 'newest',
  types: 'Types of events',
  none: 'Nothing has happened yet',
  noneHint: 'Starts and ends of containers and operators, errors and changes appear here as they happen.',
  noneOfRange: 'Nothing happened in this time',
  noneOfRangeHint: 'Choose another range, or look at the newest.',
  showNewest: 'Show the newest',
  count: (count: string) => `${count} shown`,
  bar: (count: number, from: string, to: string) => `${plural(count, 'event', 'events')}, ${from} to ${to}`,
  histogram: 'Events over time; a bar shows its time alone',
  waiting: (count: number) => `↑ ${count} new`,
  earlier: 'Show earlier ones',
  isCut: (count: string) =>
    `Only the first ${count} of this range are shown. Choose a shorter one to see all of it.`,
  whole: 'Show all of it',
};
