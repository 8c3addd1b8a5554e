import type { RestClient } from 'headgate/client';

export type WholeRecording = Awaited<ReturnType<RestClient['getRecording']>>;

/** What both ways of looking at a recording need. */
export interface Shown {
  readonly recording: WholeRecording;
  /** Of a window, in milliseconds. */
  readonly width: number;
  readonly portName: (id: string) => string;
}
