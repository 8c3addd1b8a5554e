import { openPartWriter } from '../../../../packages/history/part-files/writer.js';

// Appends numbered lines until it is killed; says which ones are written.
const [directory = '', first = '1'] = process.argv.slice(2);
const writer = await openPartWriter(directory, {
  format: { timeOf: (line) => Number(line.split(':')[0]) },
  maxPartBytes: 300,
  maxPartMillis: 1_000_000,
  maxBytes: 100_000_000,
  maxPendingBytes: 1_000_000,
  onProblem: (error) => {
    throw error;
  },
});
for (let number = Number(first); ; ) {
  for (const end = number + 7; number < end; number++) writer.append(`${number}:item ${number}`);
  await writer.flushed();
  process.stdout.write(`${number - 1}\n`);
}
