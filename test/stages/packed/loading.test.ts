import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { type RunningProgram, run, start } from '../../helpers/processes.js';
import { root } from '../../helpers/sources.js';
import { packInto, withOwnDependencies } from '../../helpers/tarballs.js';

// docs/decisions.md, "What is loaded when", in projects that have installed the tarballs.

const scratch = mkdtempSync(join(tmpdir(), 'headgate-loading-'));
t.teardown(() => rmSync(scratch, { recursive: true, force: true }));
t.setTimeout(300_000);

const tarballs = await packInto(scratch);
const own = withOwnDependencies(['headgate', '@headgate/engine']).map((name) => tarballs.get(name) ?? name);

async function project(name: string, host: string, others: readonly string[] = []): Promise<string> {
  const folder = join(scratch, name);
  mkdirSync(folder);
  cpSync(join(root, '.npmrc'), join(folder, '.npmrc'));
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }');
  writeFileSync(join(folder, 'host.js'), host);
  await run('npm', ['install', '--silent', ...own, ...others], { cwd: folder });
  return folder;
}

async function running(t: Test, folder: string): Promise<[program: RunningProgram, api: string]> {
  const program = start(process.execPath, ['host.js'], { cwd: folder });
  t.teardown(() => program.stop('SIGKILL'));
  const [, baseUrl] = await program.printed(/listening on (\S+)/);
  return [program, `${baseUrl}/ws/v2`];
}

const ErrorBody = z.object({ code: z.string(), requestId: z.string() });

/** A host that prints its log, with what it does before and after the gateway is there. */
const hostOf = ({ before = '', operators = '', after = '' }) => `
import { createServer } from 'node:http';
import { inspect } from 'node:util';
import { localCluster } from '@headgate/engine';
import { createGateway } from 'headgate';
import { attachWebSocket, httpHandler } from 'headgate/http';
import { memoryStorage } from 'headgate/storage/memory';
${before}
const tell = (fields) => console.log(JSON.stringify({ ...fields, err: fields.err && inspect(fields.err) }));
const gateway = await createGateway({
  storage: memoryStorage(),
  cluster: localCluster({ directory: './engine', operators: [${operators}] }),
  auth: 'none',
  logger: { debug: tell, info: tell, warn: tell, error: tell },
});
${after}
const handle = httpHandler(gateway);
const server = createServer((request, response) => handle(request, response));
attachWebSocket(server, gateway);
server.listen(0, '127.0.0.1', () => console.log('listening on http://127.0.0.1:' + server.address().port));
`;

t.test('files that go away under a running host are named, and what is loaded goes on', async (t) => {
  const folder = await project('replaced', hostOf({}));
  const [program, api] = await running(t, folder);
  t.equal((await fetch(`${api}/health`)).status, 200);
  const bundle = join(folder, 'node_modules/headgate/dist/bundle');
  renameSync(bundle, `${bundle}.away`);

  const refused = await fetch(`${api}/about`);
  t.equal(refused.status, 500);
  const { code, requestId } = ErrorBody.parse(await refused.json());
  t.equal(code, 'INTERNAL');
  const [line] = await program.printed(
    new RegExp(`^.*"event":"http.request","requestId":"${requestId}".*$`, 'm'),
  );
  const sentence =
    /The operations of cluster can't be loaded\. Were files of the package replaced since the start\? Start the host again/;
  t.match(line, sentence);
  t.match(line, /Cannot find module '.*\/headgate\/dist\/bundle\/chunk-/);

  const socket = new WebSocket(`${api.replace('http', 'ws').replace('/ws/v2', '')}/pubsub`);
  socket.on('error', () => {});
  const [, response] = await once(socket, 'unexpected-response');
  t.equal(response.statusCode, 500);
  socket.terminate();
  await program.printed(
    /"event":"hub.connection_refused".*Cannot find module '.*\/headgate\/dist\/bundle\/chunk-/,
  );
  t.equal((await fetch(`${api}/health`)).status, 200);

  renameSync(`${bundle}.away`, bundle);
  await program.stop();
  const [, again] = await running(t, folder);
  t.equal((await fetch(`${again}/about`)).status, 200);
});

t.test('a host has a zod of its own, of another major version', async (t) => {
  const before = `
import * as z from 'zod';
console.log('own: ' + z.object({ a: z.string() }).safeParse({ a: 1 }).error.errors[0].message);`;
  const folder = await project('zod3', hostOf({ before }), ['zod@3.25.76', ...compiler]);
  const [program, api] = await running(t, folder);
  t.match(program.output(), /^own: Expected string, received number$/m);
  await answersByOurSchemas(t, api);
  await compiles(t, folder, `import { z } from 'zod'; export const own: string = z.string()._def.typeName;`);
});

t.test('a host has a zod of its own, of another minor version, and operators made with it', async (t) => {
  const before = `
import * as z from 'zod';
console.log('own: ' + z.core.version.minor);`;
  const application = (mark: string) =>
    JSON.stringify({
      operators: [
        { name: 'random', class: 'headgate.io.RandomGenerator' },
        { name: 'marked', class: 'own.Marked', properties: { mark } },
      ],
      streams: [
        {
          source: { operatorName: 'random', portName: 'output' },
          sinks: [{ operatorName: 'marked', portName: 'input' }],
        },
      ],
    });
  const launch = (name: string, mark: string) =>
    `await gateway.launch({ user: 'me', name: '${name}', application: ${application(mark)} })`;
  const after = `
console.log('launched ' + ${launch('right', '!')});
console.log('refused ' + (${launch('wrong', 'loud')}.catch((error) => JSON.stringify(error.details))));`;
  const folder = await project(
    'zod4',
    hostOf({ before, operators: `import.meta.resolve('./marked.js')`, after }),
    ['zod@4.0.17', ...compiler],
  );
  writeFileSync(join(folder, 'marked.js'), marked);
  const [program, api] = await running(t, folder);
  t.match(program.output(), /^own: 0$/m);
  const [, appId] = await program.printed(/^launched (\S+)$/m);
  t.match(program.output(), /^refused .*at most a character/m);
  const described = await fetch(`${api}/applications/${appId}/operatorClasses/own.Marked`);
  t.match(await described.json(), { properties: [{ name: 'mark' }] });
  await answersByOurSchemas(t, api);
  await compiles(t, folder, `import * as z from 'zod'; export const own: z.ZodString = z.string();`);
});

const compiler = ['typescript@6.0.3', '@types/node@20', '@types/ws@8'];

const marked = `
import { Operator } from '@headgate/operators';
import * as z from 'zod';

export class Marked extends Operator {
  static className = 'own.Marked';
  static title = 'Marked';
  static properties = z.object({ mark: z.string().max(1, 'at most a character').describe('Its mark') });
  static inputs = { input: {} };
  static outputs = {};
  process() {}
}
`;

async function answersByOurSchemas(t: Test, api: string): Promise<void> {
  t.match(await (await fetch(`${api}/openapi.json`)).json(), { openapi: '3.1.0' });
  const headers = { 'content-type': 'application/json' };
  const wrong = await fetch(`${api}/systemAlerts/alerts/a`, {
    method: 'PUT',
    headers,
    body: '{"condition":1}',
  });
  t.equal(wrong.status, 400);
  t.match(await wrong.json(), { details: [{ path: 'condition' }] });
}

/** What a host writes in TypeScript beside the gateway, and what the packages say of themselves. */
async function compiles(t: Test, folder: string, own: string): Promise<void> {
  const host = `
import { localCluster } from '@headgate/engine';
import { createGateway, type Gateway } from 'headgate';
import * as theirs from 'headgate/zod';
import { memoryStorage } from 'headgate/storage/memory';
${own}
export const text: theirs.ZodString = theirs.string();
export const gateway: Promise<Gateway> = createGateway({
  storage: memoryStorage(),
  cluster: localCluster({ directory: './engine' }),
  auth: 'none',
});
`;
  writeFileSync(join(folder, 'typed.ts'), host);
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
  await t.resolves(run('npx', ['tsc', ...options, 'typed.ts'], { cwd: folder }));
}
