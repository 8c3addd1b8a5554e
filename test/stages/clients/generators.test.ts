import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { listRoutes } from '../../../lib/http/table.js';
import { routes } from '../../../lib/routes.js';
import { adminPassword, gatewayWithPasswords } from '../../helpers/accounts.js';
import { testFolder } from '../../helpers/folder.js';
import { packageOf } from '../../helpers/packages.js';
import { snippetsOf } from '../../helpers/snippets.js';
import { root } from '../../helpers/sources.js';

// Clients that generators make of the document of a living gateway: each has every operation, made without a word of
// warning, compiles or imports, and is used against that gateway by a program of `programs/`.

t.setTimeout(280_000);

const run = promisify(execFile);
const folder = join(root, 'test/stages/clients');
const python = join(root, 'build/python-clients/bin');

interface Generator {
  readonly name: string;
  /** In the folder of the work, where the document is `openapi.json`. */
  readonly command: readonly string[];
  /** Before the program can run. */
  readonly compile?: readonly string[];
  readonly program: readonly string[];
  /** Where an operation shows in what is made. */
  shows(operation: string): string;
}

const node = (program: string) => [process.execPath, `compiled/${program}.js`];
const compile = ['tsc', '-p', '.'];
// As the page tells its readers to write it.
const pythonConfig = 'openapi-python-client.yml';
const pageSnippet = snippetsOf(join(root, 'docs/embedding.md')).find(
  ({ attributes }) => attributes['file'] === pythonConfig,
);

const pythonOptions = [
  ...['--path', 'openapi.json', '--output-path', 'generated', '--meta', 'none'],
  ...['--overwrite', '--fail-on-warning'],
];

const generators: readonly Generator[] = [
  {
    name: 'openapi-typescript',
    command: ['openapi-typescript', 'openapi.json', '-o', 'generated/schema.ts'],
    compile,
    program: node('openapi-typescript'),
    shows: (operation) => `operations["${operation}"]`,
  },
  {
    name: 'hey-api',
    command: ['openapi-ts', '-i', 'openapi.json', '-o', 'generated/hey-api'],
    compile,
    program: node('hey-api'),
    shows: (operation) => `export const ${operation} = `,
  },
  {
    name: 'swagger-typescript-api',
    command: ['swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', 'generated'],
    compile,
    program: node('swagger-typescript-api'),
    shows: (operation) => `@name ${operation[0]?.toUpperCase()}${operation.slice(1)}\n`,
  },
  {
    name: 'openapi_python_client',
    command: ['openapi-python-client', 'generate', ...pythonOptions, '--config', pythonConfig],
    program: [join(python, 'python'), 'openapi_python_client.py'],
    shows: (operation) => `${operation.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.py`,
  },
];

/** What is made, with the names of its files. */
const contentOf = (made: string): string =>
  readdirSync(made, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.name}\n${readFileSync(join(entry.parentPath, entry.name), 'utf8')}`)
    .join('\n');

for (const generator of generators) {
  t.test(generator.name, async (t) => {
    const { baseUrl } = await gatewayWithPasswords(t);
    const work = testFolder(t);
    for (const file of readdirSync(join(folder, 'programs')))
      if (!file.endsWith('.ts') || file === `${generator.name}.ts`)
        cpSync(join(folder, 'programs', file), join(work, file));
    symlinkSync(join(folder, 'node_modules'), join(work, 'node_modules'));
    writeFileSync(join(work, pythonConfig), pageSnippet?.text ?? '');
    writeFileSync(join(work, 'package.json'), '{"type":"module"}');
    writeFileSync(join(work, 'openapi.json'), await (await fetch(`${baseUrl}/ws/v2/openapi.json`)).text());
    writeFileSync(join(work, 'made.apa'), packageOf({ name: 'made' }));
    mkdirSync(join(work, 'generated'));
    const PATH = [join(folder, 'node_modules/.bin'), python, process.env['PATH']].join(delimiter);
    const done = async ([program = '', ...options]: readonly string[]) => {
      const { stdout, stderr } = await run(program, options, {
        cwd: work,
        env: { ...process.env, PATH, NO_COLOR: '1' },
        maxBuffer: 16 * 1024 * 1024,
      }).catch((error: Error & { stdout?: string; stderr?: string }) => {
        throw new Error(`${generator.name}: ${error.message}\n${error.stdout}\n${error.stderr}`);
      });
      return { stdout, stderr };
    };

    const { stdout, stderr } = await done(generator.command);
    t.notMatch(stdout + stderr, /warn|error|unsupported|skip|not be generated/i, 'without a warning');
    const made = contentOf(join(work, 'generated'));
    const missing = listRoutes(routes).filter(({ id }) => !made.includes(generator.shows(id)));
    t.strictSame(
      missing.map(({ id }) => id),
      [],
      'every operation',
    );
    if (generator.compile) await done(generator.compile);
    const used = await done([...generator.program, baseUrl, adminPassword, 'made.apa']);
    t.strictSame(JSON.parse(used.stdout), {
      user: 'admin',
      uploaded: 'made',
      listed: ['made'],
      refused: 'NOT_FOUND',
    });
  });
}
