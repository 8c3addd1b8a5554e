import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';

// Hadoop's script `yarn` as far as it prints logs that were handed in.

const { DOUBLE_CONTROL = '', DOUBLE_FAULT = '', HADOOP_USER_NAME = '' } = process.env;
const [, , command, ...words] = process.argv;
const text = { type: 'string' } as const;
const options = { applicationId: text, containerId: text, nodeAddress: text, appOwner: text };
const { values } = parseArgs({ args: words.map((word) => word.replace(/^-(?=[a-z])/, '--')), options });

process.stderr.write('26/11/21 19:00:00 INFO client.RMProxy: Connecting to ResourceManager\n');
if (command !== 'logs' || !values.nodeAddress || HADOOP_USER_NAME === '') {
  process.stderr.write('Invalid Options\n');
  process.exit(255);
}
if (DOUBLE_FAULT === 'hang') await delay(600_000);
if (DOUBLE_FAULT === 'kill') process.kill(process.pid, 'SIGKILL');
if (DOUBLE_FAULT === 'garbage') {
  process.stderr.write(
    'Error: Could not find or load main class org.apache.hadoop.yarn.client.cli.LogsCLI\n',
  );
  process.exit(1);
}
const answer = await fetch(`${DOUBLE_CONTROL}/logs?${new URLSearchParams({ ...values })}`);
if (!answer.ok) {
  process.stdout.write(
    `/tmp/logs/${values.appOwner}/logs/${values.applicationId} does not have any log files.\n`,
  );
  process.exit(255);
}
// Files, so that nothing is cut when the process ends.
writeFileSync(1, Buffer.from(await answer.arrayBuffer()));
