import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { smtpSettings } from '../../helpers/alerts.js';
import { mailServer } from '../../helpers/mail-server.js';
import { run, start } from '../../helpers/processes.js';
import { snippetsOf } from '../../helpers/snippets.js';

// The page about alerts, line by line, on the example server; and the host of the page about mails.

const root = join(import.meta.dirname, '../../../..');
const scratch = mkdtempSync(join(tmpdir(), 'headgate-alerts-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));

t.test('an alert fires and clears as the page says, and mails come', async (t) => {
  const peer = await mailServer(t, { encryption: 'none' });
  const server = start(
    process.execPath,
    ['examples/server/server.js', '--port', '0', '--data', join(scratch, 'data')],
    { cwd: root, env: { HEADGATE_ADMIN_PASSWORD: 'correct-horse' } },
  );
  t.teardown(() => server.stop());
  const [, url = ''] = await server.printed(/Headgate listening on (http:\/\/\S+)/);
  const settings = JSON.stringify({ ...smtpSettings(peer.port), encryptionType: 'none' });
  const toJson = ['-s', '-u', 'admin:correct-horse', '-H', 'content-type: application/json'];
  await run('curl', [...toJson, '-X', 'PUT', `${url}/ws/v2/config/smtp`, '-d', settings], { cwd: scratch });

  const [opening, ...steps] = snippetsOf(join(root, 'docs/alerts.md')).filter(
    ({ attributes }) => 'alerts' in attributes,
  );
  const answers = new Map<string, string>();
  for (const { attributes, text } of steps) {
    const command = `${opening?.text}\n${text}`.replaceAll('http://127.0.0.1:9090', url);
    answers.set(attributes['alerts'] ?? '', await run('bash', ['-c', command], { cwd: scratch }));
  }
  t.match(answers.get('put'), /^\{\}\{"alerts":\[\{"name":"Cluster \/ 90%","owner":"admin",/);
  t.match(JSON.parse(answers.get('template') ?? ''), {
    valid: true,
    script: /latency > 25\)$/,
    missingTopics: [],
  });
  t.equal(answers.get('slow'), '{}');
  t.match(JSON.parse(answers.get('load') ?? ''), {
    name: 'slow',
    alertStatus: { isInAlert: true, message: 'The access log is read late' },
  });
  t.match(JSON.parse(answers.get('clear') ?? ''), { history: [{ name: 'slow', emailSent: true }] });
  t.match(
    peer.received.map(({ email }) => email.subject),
    ['[Headgate] The settings of the mail server work', '[Headgate] Alert "slow" in effect'],
  );
});

t.test('the host of the page about mails starts', async (t) => {
  const [host] = snippetsOf(join(root, 'docs/mail.md')).filter(({ attributes }) => 'file' in attributes);
  const text = host?.text.replace('./data/engine', join(scratch, 'engine')) ?? '';
  // By its own name the package is known below its root.
  t.equal(await run(process.execPath, ['--input-type=module', '-e', text], { cwd: root }), '');
});
