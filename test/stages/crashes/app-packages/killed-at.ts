import type { Storage } from '../../../../lib/interfaces/storage.js';
import { filesystemStorage } from '../../../../packages/level/index.js';
import { newGateway } from '../../../helpers/gateway.js';
import { as, people } from '../../../helpers/people.js';
import { doStep, source } from './script.js';

// Child of the crash test: node killed-at.js <directory> <step> <call>. Does the steps before, and then this one, and
// ends itself with SIGKILL just before that call to the storage which changes something. Ends well if there are fewer.

const [directory = '', lastStep = '', killAt = ''] = process.argv.slice(2);
let isArmed = false;
let calls = 0;

function changing<A extends unknown[], R>(call: (...args: A) => Promise<R>): (...args: A) => Promise<R> {
  return (...args) => {
    if (isArmed && ++calls === Number(killAt)) {
      process.kill(process.pid, 'SIGKILL');
      // The signal takes a moment.
      return new Promise(() => {});
    }
    return call(...args);
  };
}

const real = await filesystemStorage({ directory });
const storage: Storage = {
  documents: { ...real.documents, write: changing(real.documents.write) },
  blobs: { ...real.blobs, write: changing(real.blobs.write), delete: changing(real.blobs.delete) },
  problems: real.problems,
  close: real.close,
};
const closing: (() => Promise<void>)[] = [];
const { newClient } = await newGateway(
  { teardown: (close) => closing.push(close) },
  { storage, auth: people },
);
const client = newClient(as('ada', 'developer'));

await client.uploadPackage({ body: source });
for (let step = 1; step <= Number(lastStep); step++) {
  isArmed = step === Number(lastStep);
  await doStep(client, 'ada', 0, step);
}
for (const close of closing) await close();
