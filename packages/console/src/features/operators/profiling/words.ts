import { plural } from '../../../shell/words.js';

export const words = {
  backPressure: 'Back-pressure',
  hasEnded: 'The application has ended: there is nothing to be measured',
  highest: 'Highest',
  measured: 'Measured',
  noPartitions: 'Nothing is measured of it yet',
  shares: { busy: 'Busy', held: 'Held up', idle: 'Idle' },
  columns: {
    partition: 'Partition',
    level: 'Level',
    shares: 'Parts of its time',
  },
  explained:
    'Held up is one that can’t hand on what it has, because others behind it are too slow. Measured anew while it is on the screen.',
  showMore: (count: number) => `Show ${count} more`,
  unknownLevel: 'not known',
  flameGraph: 'Flame graph',
  flameHint:
    'Where its threads are, by samples of their stacks. Looked at when it is opened: the first samples take some seconds, and cost the cluster a little.',
  open: 'Show the flame graph',
  close: 'Close',
  again: 'Take new samples',
  wait: 'The samples are being taken…',
  sampled: 'Sampled',
  type: 'Threads',
  types: { FULL: 'All', ON_CPU: 'Running', OFF_CPU: 'Waiting' },
  of: 'Partition',
  ofAll: 'All of them',
  find: 'Find a frame',
  reset: 'Show all of it',
  resetReason: 'All of it is shown',
  whole: 'All samples',
  found: (frames: number, share: string) =>
    frames === 0 ? 'No frame has it' : `${plural(frames, 'frame', 'frames')}, in ${share} of the samples`,
  picture: 'Flame graph: arrows walk, Enter looks closer, Escape shows all of it',
  frame: (name: string, share: string, samples: string) => `${name}: ${share}, ${samples} samples`,
  keys: 'Click a frame, or press Enter on it, to look closer; arrows walk, Escape shows all of it again. A colour is a package.',
  leftOut: (frames: number) =>
    `${plural(frames, 'frame', 'frames')} with the fewest samples, and the deepest, are left out`,
  tooNarrow: (frames: number) =>
    `${plural(frames, 'frame is', 'frames are')} too narrow to be drawn: look closer`,
  noSamples: 'No thread was there',
  noSamplesHint: 'None of its threads was in such a state while the samples were taken.',
  hottest: 'Where the samples were taken',
  hot: { frame: 'Frame', own: 'Itself', all: 'With what it called' },
};
