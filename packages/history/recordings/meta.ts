import * as z from 'zod';

const version = '1.2';

const Head = z.object({
  startTime: z.coerce.number(),
  appId: z.string(),
  properties: z.record(z.string(), z.unknown()),
  /** Ours: the engine's own files do not tell it. */
  containerId: z.string().default(''),
});

const RecordedPort = z.object({
  name: z.string(),
  streamName: z
    .string()
    .nullable()
    .default('')
    .transform((name) => name ?? ''),
  type: z.enum(['input', 'output']),
  id: z.coerce.string(),
});
/** `id` counts from 0 inside one recording. */
export type RecordedPort = z.output<typeof RecordedPort>;

/** What `meta.txt` of a recording tells. */
export interface RecordingMeta extends z.output<typeof Head> {
  readonly ports: readonly RecordedPort[];
}

/** Lines of the file: the version, the recording, and each port. */
export function formatMeta({ ports, startTime, ...head }: RecordingMeta): string[] {
  return [
    version,
    JSON.stringify({ startTime: String(startTime), ...head }),
    ...ports.map((port) => JSON.stringify(port)),
  ];
}

/** Throws what is wrong with a damaged file. */
export function parseMeta([, head = '', ...ports]: readonly string[]): RecordingMeta {
  return {
    ...Head.parse(JSON.parse(head)),
    ports: ports.map((port) => RecordedPort.parse(JSON.parse(port))),
  };
}
