// `@headgate/history/formats`: what lines, parts and recordings are made of, pure. It loads no part of the gateway, so that
// processes which only write them stay small.
export type { PartFormat } from './part-files/format.js';
export {
  formatIndexLine,
  openPartOf,
  type PartEntry,
  parseIndex,
  partName,
} from './part-files/index-line.js';
export { boundaryLine, PartCounter, recordingFormat, skippedLine } from './recordings/format.js';
export { formatMeta, type RecordedPort } from './recordings/meta.js';
