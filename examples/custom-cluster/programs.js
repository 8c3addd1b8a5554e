import { fileURLToPath } from 'node:url';

/** What operators may be. Nothing else is run: whoever may launch applications does not choose commands. */
export const programs = {
  Clock: { command: [process.execPath, fileURLToPath(new URL('./clock.js', import.meta.url))], writes: true },
  Grep: { command: ['grep', '--line-buffered', '-e'], reads: true, writes: true },
};
