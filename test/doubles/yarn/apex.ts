import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import yauzl from 'yauzl';
import { JsonApplication } from '../../../lib/model/logical-plan.js';

// The engine's command line as far as it launches, with the noise that it makes.

const {
  DOUBLE_CONTROL = '',
  DOUBLE_FAULT = '',
  HOME = '',
  HADOOP_USER_NAME = '',
  DT_CLIENT_OPTS = '',
} = process.env;

class CliException extends Error {}

const short: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f' };

/** Words of a line: quotes quote, a backslash escapes, inside of quotes too. A first and a last quote get lost before. */
function wordsOf(given: string): string[] {
  const line = given.replace(/^"/, '').replace(/"$/, '');
  const words: string[] = [];
  let word: string | undefined;
  let isQuoted = false;
  for (let i = 0; i < line.length; i++) {
    const character = line[i] ?? '';
    if (character === '"') {
      isQuoted = !isQuoted;
      word ??= '';
    } else if (character === '\\') {
      const escaped = line[++i] ?? '';
      word = (word ?? '') + (short[escaped] ?? escaped);
    } else if (!isQuoted && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (!isQuoted && ';$#'.includes(character)) throw new CliException('unquoted character');
    else word = (word ?? '') + character;
  }
  if (word !== undefined) words.push(word);
  return words;
}

const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&' };
const unescaped = (text: string) => text.replace(/&(\w+);/g, (_, name: string) => entities[name] ?? '');

function settingsIn(file: string): Record<string, string> {
  const found = readFileSync(file, 'utf8').matchAll(/<name>(.*?)<\/name><value>(.*?)<\/value>/gs);
  return Object.fromEntries(
    [...found].map(([, name = '', value = '']) => [unescaped(name), unescaped(value)]),
  );
}

/** Of the package, and of one of its applications: those without a value are required. */
async function propertiesIn(file: string, appName: string) {
  const zip = await yauzl.openPromise(file);
  const required = new Set<string>();
  const defaults: Record<string, string> = {};
  const files = ['META-INF/properties.xml', `META-INF/properties-${appName}.xml`];
  const texts = new Map<string, string>();
  for await (const entry of zip.eachEntry())
    if (files.includes(entry.fileName))
      texts.set(entry.fileName, await text(await zip.openReadStreamPromise(entry)));
  for (const name of files)
    for (const [, property = ''] of (texts.get(name) ?? '').matchAll(/<property>(.*?)<\/property>/gs)) {
      const key = /<name>(.*?)<\/name>/s.exec(property)?.[1] ?? '';
      const value = /<value>(.*?)<\/value>/s.exec(property)?.[1];
      if (value === undefined) required.add(key);
      else {
        required.delete(key);
        defaults[key] = unescaped(value);
      }
    }
  return { required: [...required], defaults };
}

async function launch(words: readonly string[]): Promise<string> {
  const properties: Record<string, string> = {};
  const given: Record<string, string> = {};
  let queue = 'default';
  let originalAppId: string | undefined;
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '-conf') Object.assign(properties, settingsIn(words[++i] ?? ''));
    else if (word === '-queue') queue = words[++i] ?? '';
    else if (word === '-originalAppId') originalAppId = words[++i];
    else if (word.startsWith('-D')) {
      const [name = '', ...value] = word.slice(2).split('=');
      given[name] = value.join('=');
    } else if (word !== '-exactMatch') rest.push(word);
  }
  const [file, appName] = rest;
  if (file?.endsWith('.apa')) {
    const packaged = await propertiesIn(file, appName ?? '');
    // Letter by letter.
    const missing = packaged.required.filter((name) => !(name in properties || name in given));
    if (missing.length > 0) throw new CliException(`Required properties not set: ${missing.join(', ')}`);
    for (const [name, value] of Object.entries(packaged.defaults)) properties[name] ??= value;
  }
  if (file !== undefined && !existsSync(file)) throw new CliException(`${file} does not match any file`);
  const application = file?.endsWith('.json')
    ? JsonApplication.parse(JSON.parse(readFileSync(file, 'utf8')))
    : undefined;
  for (const operator of application?.operators ?? [])
    if (operator.class.startsWith('no.'))
      throw new CliException(`java.lang.ClassNotFoundException: ${operator.class}`);
  const answer = await fetch(`${DOUBLE_CONTROL}/launch`, {
    method: 'POST',
    body: JSON.stringify({
      application,
      appName,
      packageBytes: file?.endsWith('.apa') ? readFileSync(file).length : undefined,
      queue,
      originalAppId,
      properties: { ...settingsIn(join(HOME, '.dt', 'dt-site.xml')), ...properties, ...given },
      line: process.argv.join(' '),
      user: HADOOP_USER_NAME,
      root: settingsIn(join(HOME, '.dt', 'dt-site.xml'))['dt.dfsRootDirectory'],
      options: DT_CLIENT_OPTS,
    }),
  });
  if (!answer.ok) throw new CliException(await answer.text());
  return answer.text();
}

const coded = {
  operators: [
    {
      name: 'source',
      class: 'org.example.Source',
      attributes: { MEMORY_MB: '1024', SSL_CONFIG: null },
      properties: { '@class': 'org.example.Source', limit: '7' },
      ports: [{ name: 'out', type: 'output', attributes: { QUEUE_CAPACITY: '1024' } }],
    },
  ],
  streams: [],
  attributes: { GATEWAY_PASSWORD: 'very secret' },
};

/** The classes of a package are run for both. */
const packageCommands: Readonly<Record<string, unknown>> = {
  'get-app-package-info': {
    applications: [
      { name: 'Coded', type: 'class', dag: coded, error: null, errorStackTrace: null },
      { name: 'Broken', type: 'class', dag: null, error: 'no luck', errorStackTrace: 'no luck\n\tat x' },
    ],
  },
  'get-app-package-operators': {
    operatorClasses: [
      {
        name: 'org.example.Source',
        type: 'operator',
        displayName: 'Source',
        shortDesc: 'Makes numbers',
        tags: ['numbers'],
        properties: [
          { name: 'limit', canGet: true, canSet: true, type: 'int', descriptions: { $: 'how many' } },
        ],
        portTypeInfo: [{ name: 'out', type: 'java.lang.Integer' }],
        inputPorts: [],
        outputPorts: [{ name: 'out', optional: true, error: false, schemaRequired: false }],
        defaultValue: { '@class': 'org.example.Source', limit: 7, password: 'hush' },
      },
    ],
    failedOperators: { 'org.example.Bad': 'java.lang.NoClassDefFoundError: org/nix/Nix' },
  },
};

/** Counted by the cluster. */
async function describe(command: string, [file = '']: readonly string[]): Promise<string> {
  if (!existsSync(file)) throw new CliException(`${file} does not match any file`);
  await fetch(`${DOUBLE_CONTROL}/described?${new URLSearchParams({ command })}`);
  return JSON.stringify(packageCommands[command]);
}

mkdirSync(join(HOME, '.dt'), { recursive: true });
writeFileSync(join(HOME, '.dt', 'clirc'), '');
process.stderr.write('SLF4J: Class path contains multiple bindings.\nlog4j:WARN no appenders\n');
if (DOUBLE_FAULT === 'hang') await delay(600_000);
if (DOUBLE_FAULT === 'kill') process.kill(process.pid, 'SIGKILL');
if (DOUBLE_FAULT === 'garbage') {
  process.stdout.write('Welcome!\n');
  process.exit(0);
}
try {
  const [, , , , line = ''] = process.argv;
  const [command = '', ...words] = wordsOf(line);
  if (command in packageCommands) {
    process.stdout.write(`${await describe(command, words)}\n`);
    process.exit(0);
  }
  if (command !== 'launch') {
    process.stderr.write(`Invalid command '${command}'. Type "help" for list of commands\n`);
    process.exit(1);
  }
  process.stdout.write(`${await launch(words)}\n`);
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`com.datatorrent.stram.cli.ApexCli$CliException: ${message}\n\tat x.Y.z(Y.java:1)\n`);
  process.exit(1);
}
