// A desktop app: one process, its window is a browser without bars, and closing the window stops everything.
import { join } from 'node:path';
import { openBackend } from './backend.js';
import { data } from './files.js';
import { openWindow } from './window.js';

async function run() {
  const backend = await openBackend(join(data, 'streams'));
  const window = openWindow(backend.url(), join(data, 'window'));
  console.log('the window is open');

  const stop = () => window.close();
  process.once('SIGTERM', stop).once('SIGINT', stop);
  await window.closed;
  await backend.close();
  console.log('everything has stopped');
}

run();
