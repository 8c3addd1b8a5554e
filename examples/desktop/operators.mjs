import { freemem, totalmem } from 'node:os';
import { InputOperator } from '@headgate/operators';
import * as z from 'zod';

/** How much of the machine's memory is in use. */
export class MemoryMeter extends InputOperator {
  static className = 'desktop.MemoryMeter';
  static title = 'Memory meter';
  static description = 'How much of the machine’s memory is in use.';
  static tags = ['input'];
  static properties = z.object({
    intervalMillis: z
      .number()
      .int()
      .min(100)
      .default(1000)
      .describe('Time between two readings, milliseconds'),
  });
  static outputs = { output: { type: 'Memory', description: '{time, usedMB, totalMB}' } };

  #next = 0;

  emitTuples() {
    const now = Date.now();
    if (now < this.#next) return 0;
    this.#next = now + this.properties.intervalMillis;
    const megabytes = (bytes) => Math.round(bytes / 2 ** 20);
    const used = totalmem() - freemem();
    this.emit('output', { time: now, usedMB: megabytes(used), totalMB: megabytes(totalmem()) });
    return 1;
  }
}
