import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { createClient } from '../../../lib/client.js';
import { run, start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { zipBytes } from '../../helpers/zip-bytes.js';

// The page about packages: the files that it shows are made, zipped, uploaded and launched as it says.

const root = join(import.meta.dirname, '../../../..');
const scratch = mkdtempSync(join(tmpdir(), 'headgate-packages-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));
const snippets = snippetsOf(join(root, 'docs/packages.md'));

const files = snippets.flatMap(({ attributes, text }): [string, string][] =>
  attributes['file'] === undefined ? [] : [[attributes['file'], text]],
);
for (const [name, text] of files) {
  mkdirSync(dirname(join(scratch, name)), { recursive: true });
  writeFileSync(join(scratch, name), text);
}

async function zip(): Promise<void> {
  const command = snippets.find(({ attributes }) => 'zip' in attributes)?.text ?? '';
  await run('bash', ['-c', command], { cwd: scratch }).catch(() => {});
  // The program is not everywhere.
  if (!existsSync(join(scratch, 'words.apa')))
    writeFileSync(
      join(scratch, 'words.apa'),
      zipBytes({ entries: files.map(([name, content]) => ({ name, content })) }),
    );
}

const Operators = z.object({ operatorClasses: z.array(z.looseObject({ name: z.string() })) });
/** The engine's own are listed with it. */
const operatorNamed = (name: string, answer: unknown) =>
  Operators.parse(answer).operatorClasses.find((operator) => operator.name === name);

t.test('what the page makes runs', async (t) => {
  await zip();
  const server = start(
    process.execPath,
    ['examples/server/server.js', '--no-demo', '--port', '0', '--data', join(scratch, 'data')],
    { cwd: root, env: { HEADGATE_ADMIN_PASSWORD: 'correct-horse' } },
  );
  t.teardown(() => server.stop());
  const [, url = ''] = await server.printed(/Headgate listening on (http:\/\/\S+)/);
  const answers = new Map<string, unknown>();
  for (const { attributes, text } of snippets.filter(({ attributes }) => 'run' in attributes)) {
    const command = text.replaceAll('http://127.0.0.1:9090', url);
    answers.set(attributes['run'] ?? '', JSON.parse(await run('bash', ['-c', command], { cwd: scratch })));
  }
  t.match(answers.get('upload'), {
    appPackageName: 'words',
    appPackageDisplayName: 'Words',
    configs: ['asking.xml'],
    requiredProperties: ['platform.operator.shout.prop.mark'],
    defaultProperties: { 'platform.operator.words.prop.tuplesPerSecond': '10' },
  });
  t.match(operatorNamed('words.Shout', answers.get('operators')), {
    title: 'Shout',
    properties: [{ name: 'mark' }],
  });
  t.match(answers.get('launch'), { appId: /^application_/ });
  t.match(answers.get('refused'), {
    code: 'REQUIRED_PROPERTY_MISSING',
    message: /platform\.operator\.shout\.prop\.mark/,
  });

  const client = createClient({ baseUrl: url });
  await client.login({ body: { userName: 'admin', password: 'correct-horse' } });
  const heard = await new Promise((resolve) => {
    client.subscribe('words.shouting', resolve);
  });
  client.close();
  t.match(heard, /^[A-Z]+\?!$/);
});
