import { readFile } from 'node:fs/promises';
import t from 'tap';
import { JarContents } from '../../../lib/model/jar-contents.js';
import { jarReader } from '../../../packages/jars/reader.js';
import { type Answer, type Members, ofOurs } from './answers.js';
import { engineTypesFile } from './engine-types.js';
import { publishedJars } from './published.js';

// Real jars, and what the engine's own discovery found in them (README.md).

const { malhar, api, common } = await publishedJars().catch((error) => {
  if (error.code !== 'ENOENT' || process.env['CI']) throw error;
  t.comment('Maven (mvn) is not installed: published jars can not be fetched');
  process.exit(0);
});
const signal = new AbortController().signal;

async function read(...paths: readonly string[]) {
  const jars = new Map(paths.map((path) => [`lib/${path.replace(/^.*\//, '')}`, path]));
  const source = {
    files: [...jars.keys()].map((name) => ({ name, size: 0 })),
    read: (file: string) => readFile(jars.get(file) ?? ''),
  };
  return jarReader().read(source, ['lib/*.jar'], signal);
}

interface Difference {
  readonly operator: string;
  /** `title`, `property limit`. */
  readonly what: string;
  readonly engine: string;
  readonly ours: string;
}

/** Where we knowingly tell something else. */
const reasons: Readonly<Record<string, (difference: Difference) => boolean>> = {
  'the engine cuts acronyms into letters': ({ what, engine, ours }) =>
    what === 'title' && engine !== '' && squeezed(engine) === squeezed(ours),
  'the engine has no title for what has no texts': ({ what, engine }) => what === 'title' && engine === '',
  'texts of nested classes are under a name that the engine does not look for': ({
    operator,
    what,
    engine,
  }) => operator.includes('$') && /^(category|tags|shortDesc|longDesc)$/.test(what) && engine === '',
  "of a class's ancestors the engine asks only one for a property's text, whichever a hash puts first": (
    difference,
  ) => /^text of property/.test(difference.what) && difference.engine === '',
  'of setters of one name the engine mixes what it tells of each': ({ operator, what }) =>
    [
      'com.datatorrent.lib.algo.FilterValues property values',
      'com.datatorrent.lib.join.MapJoinOperator property strategy',
      'com.datatorrent.lib.join.POJOJoinOperator property strategy',
    ].includes(`${operator} ${what}`),
  'of a port of an inner class the engine takes the argument of the outer one': ({ operator, what }) =>
    operator === 'com.datatorrent.lib.stream.ConsolidatorKeyVal' && /^input in[1-5]$/.test(what),
};

const squeezed = (text: string) => text.replace(/[^a-z0-9]/gi, '').toLowerCase();

function* differencesOf(engine: Answer, ours: Answer): Generator<Difference> {
  const operator = engine.name;
  for (const what of ['title', 'category', 'tags', 'shortDesc', 'longDesc'] as const) {
    yield { operator, what, engine: String(engine[what]), ours: String(ours[what]) };
  }
  yield* ofMembers(operator, 'input', engine.inputs, ours.inputs);
  yield* ofMembers(operator, 'output', engine.outputs, ours.outputs);
  yield* ofMembers(operator, 'property', engine.properties, ours.properties);
}

function* ofMembers(operator: string, kind: string, engine: Members, ours: Members): Generator<Difference> {
  for (const name of new Set([...Object.keys(engine), ...Object.keys(ours)])) {
    const [type = 'absent', traits = '', text = ''] = engine[name] ?? [];
    const [ourType = 'absent', ourTraits = '', ourText = ''] = ours[name] ?? [];
    const what = `${kind} ${name}`;
    yield { operator, what, engine: `${type} ${traits}`, ours: `${ourType} ${ourTraits}` };
    yield { operator, what: `text of ${what}`, engine: text, ours: ourText };
  }
}

t.test('we find the operators that the engine finds, and tell of them what it tells', async (t) => {
  const lines = (await readFile('test/stages/jars/malhar-library-3.8.0.jsonl', 'utf8')).trim().split('\n');
  const engine = lines.map((line): Answer => JSON.parse(line));
  const contents = await read(malhar);
  t.strictSame(
    contents.classes.map(({ name }) => name),
    engine.map(({ name }) => name),
  );
  t.strictSame(contents.problems, [
    {
      file: 'lib/malhar-library-3.8.0.jar',
      message:
        "com.datatorrent.lib.io.jms.JMSObjectInputOperator and 1 more operators can't be loaded: javax.jms.MessageListener is in no jar of the package",
    },
  ]);
  t.doesNotThrow(() => JarContents.parse(contents), 'it can be kept');

  const ours = new Map(contents.classes.map((operator) => [operator.name, ofOurs(operator)]));
  const found = engine.flatMap((theirs) => {
    const own = ours.get(theirs.name);
    return own ? [...differencesOf(theirs, own)] : [];
  });
  t.ok(found.length > 3000, `${found.length} things are compared`);
  const differences = found.filter((difference) => difference.engine !== difference.ours);
  const isKnown = (difference: Difference) => Object.values(reasons).some((applies) => applies(difference));
  t.strictSame(
    differences.filter((difference) => !isKnown(difference)),
    [],
  );
  for (const [reason, applies] of Object.entries(reasons)) {
    t.ok(differences.some(applies), `it still holds that ${reason}`);
  }
});

t.test('defaults that we tell are those of an instance that the engine makes', async (t) => {
  const lines = (await readFile('test/stages/jars/malhar-library-3.8.0.jsonl', 'utf8')).trim().split('\n');
  const engine = new Map(
    lines.map((line): Answer => JSON.parse(line)).map((answer) => [answer.name, answer]),
  );
  let same = 0;
  const others: string[] = [];
  for (const operator of (await read(malhar)).classes) {
    // Where the engine can make no instance we may know something all the same.
    const theirs = engine.get(operator.name)?.defaults;
    for (const [name, value] of theirs ? Object.entries(operator.defaultValue ?? {}) : []) {
      if (theirs?.[name] === value) same++;
      else others.push(`${name} ${value} ${theirs?.[name]}`);
    }
  }
  t.ok(same > 200, `${same} are the same`);
  t.strictSame([...new Set(others)].sort(), [
    // The engine's serializer leaves out what is marked as not to be stored, and writes this name in another way.
    'annonymous false undefined',
    'currentPartitions 1 undefined',
    'vType DOUBLE undefined',
  ]);
});

t.test("the table of the engine's types is that of its jars", async (t) => {
  const path = 'packages/jars/engine-types.ts';
  t.equal(await readFile(path, 'utf8'), await engineTypesFile([api, common]));
  const names = async (...jars: readonly string[]) => (await read(...jars)).classes.map(({ name }) => name);
  t.strictSame(
    await names(malhar),
    await names(malhar, api, common),
    'a package may bring them all the same',
  );
});
