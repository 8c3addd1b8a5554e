import { filesystemStorage } from '../../../../packages/level/index.js';
import { newGateway } from '../../../helpers/gateway.js';
import { as, people } from '../../../helpers/people.js';
import { doStep, lanes, source } from './script.js';

// Child of the crash test: node worker.js <directory> <steps done, by lane, as JSON>. A gateway and its client, which
// acknowledges each step on standard output after the gateway did, and goes on until it is killed.

const [directory = '', done = '[]'] = process.argv.slice(2);
const steps: readonly number[] = JSON.parse(done);
const storage = await filesystemStorage({ directory });
const { newClient } = await newGateway({ teardown: () => {} }, { storage, auth: people });
const client = newClient(as('ada', 'developer'));

/** Resolves when the pipe has it. The dot at the end tells a whole line from the half of one. */
const acknowledge = (what: string) =>
  new Promise<void>((resolve) => {
    process.stdout.write(`${what} .\n`, () => resolve());
  });

await client.uploadPackage({ body: source });
await acknowledge('ready 0');
await Promise.all(
  Array.from({ length: lanes }, async (_, lane) => {
    for (let step = (steps[lane] ?? 0) + 1; ; step++) {
      await doStep(client, 'ada', lane, step);
      await acknowledge(`${lane} ${step}`);
    }
  }),
);
