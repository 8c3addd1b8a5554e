import * as z from 'zod';
import type { Clock } from '../../interfaces/clock.js';
import type { DocumentStore } from '../../interfaces/storage.js';
import { collection } from '../../storage/collection.js';

const Installation = z.object({ time: z.number() });

/** Epoch milliseconds of the first start with this storage. */
export async function installTime(documents: DocumentStore, clock: Clock): Promise<number> {
  const kept = collection(documents, 'installation', Installation);
  const { value } = await kept.update('installation', (present) => present ?? { time: clock.now() });
  return value.time;
}
