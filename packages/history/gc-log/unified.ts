import type { GcCollection } from 'headgate/driver-kit';
import { bytesOf, collection, timeOf } from './heap.js';

/** `[2026-11-21T10:00:00.123+0000][12.3s][info][gc] GC(7) Pause Young (...) 24M->4M(256M) 1.234ms`; the stamp is needed. */
const pause =
  /^\[(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}(?:[+-]\d{4}|Z))\](?:\[[^[\]]{0,40}\]){0,6} GC\(\d{1,12}\) Pause [^>]{1,200} (\d{1,12})([KMG])->(\d{1,12})([KMG])\((\d{1,12})([KMG])\) (\d{1,9}(?:\.\d{1,6})?)ms$/;

/** A pause as unified logging writes it when it is over: it began that long before. */
export function unifiedCollection(line: string): GcCollection | undefined {
  const found = pause.exec(line);
  if (!found) return undefined;
  const [, stamp = '', before = '', beforeUnit = '', after = '', afterUnit = '', capacity = '', unit = ''] =
    found;
  const end = timeOf(stamp);
  if (end === undefined) return undefined;
  const duration = Number(found[8]);
  return collection({
    startTime: end - duration,
    before: bytesOf(before, beforeUnit),
    after: bytesOf(after, afterUnit),
    capacity: bytesOf(capacity, unit),
    duration,
  });
}
