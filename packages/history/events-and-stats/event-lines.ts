import { Event } from 'headgate/driver-kit';
import * as z from 'zod';
import type { PartFormat } from '../part-files/format.js';

const line = /^(\d{1,15}):(\w+):(.*)$/s;
const Data = z.looseObject({ id: z.string() });

/** `{ms}:{type}:{json}`: the data with the id among it. */
export const formatEvent = ({ id, timestamp, type, data }: Event): string =>
  `${timestamp}:${type}:${JSON.stringify({ ...data, id })}`;

/** `undefined` for a line that a crash or a disk has damaged. */
export function parseEvent(text: string): Event | undefined {
  const [, timestamp, type = '', json = ''] = line.exec(text) ?? [];
  try {
    const { id, ...data } = Data.parse(JSON.parse(json));
    return Event.parse({ id, timestamp: Number(timestamp), type, data });
  } catch {
    return undefined;
  }
}

export const eventFormat: PartFormat = {
  timeOf(text) {
    const timestamp = line.exec(text)?.[1];
    return timestamp === undefined ? undefined : Number(timestamp);
  },
};
