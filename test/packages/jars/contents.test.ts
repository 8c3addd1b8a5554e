import t from 'tap';
import { fitted } from '../../../lib/features/app-packages/kept-jars.js';
import { TooLarge } from '../../../lib/model/errors.js';
import type { JarLimits } from '../../../packages/jars/limits.js';
import { jarReader } from '../../../packages/jars/reader.js';
import { type ClassSpec, classBytes, flags, jarOf } from '../../helpers/class-bytes.js';
import {
  application,
  base,
  genericBase,
  inputPort,
  javadoc,
  operatorClasses,
  source,
  words,
} from '../../helpers/operator-jars.js';

type Jars = Readonly<Record<string, Buffer>>;

function reading(jars: Jars, limits: Partial<JarLimits> = {}) {
  const reader = jarReader(limits);
  const content = {
    files: Object.entries(jars).map(([name, bytes]) => ({ name, size: bytes.length })),
    async read(file: string, maxBytes: number) {
      const bytes = jars[file] ?? Buffer.alloc(0);
      if (bytes.length > maxBytes) throw new TooLarge(file, maxBytes);
      return bytes;
    },
  };
  return { reader, content };
}

/** Without the operators that the engine brings along. */
const read = async (jars: Jars, limits: Partial<JarLimits> = {}, classPath = ['lib/*.jar']) => {
  const { reader, content } = reading(jars, limits);
  const contents = await reader.read(content, classPath, new AbortController().signal);
  return { ...contents, classes: contents.classes.filter(({ jar }) => jar !== undefined) };
};

const names = (list: readonly { readonly name: string }[]) => list.map(({ name }) => name);

const whole = {
  'app/words.jar': jarOf(operatorClasses, [{ name: 'META-INF/words-javadoc.xml', content: javadoc }]),
  'lib/base.jar': jarOf([genericBase]),
};

t.test('operators are told with ports, properties and texts, inherited ones too', async (t) => {
  const { classes, problems, operatorTypes, types } = await read(whole);
  t.strictSame(problems, []);
  t.strictSame(names(classes), ['org.example.Source', 'org.example.Words']);
  const [, found] = classes;
  t.strictSame(found, {
    name: 'org.example.Words',
    title: 'Word Counter',
    shortDesc: 'Counts words &amp; more.',
    longDesc: '<p>At length.</p>',
    category: 'Text',
    doclink: 'https://docs.example.org/?org/example/Words.html',
    tags: ['words', 'count'],
    inputPorts: [
      { name: 'input', type: 'java.lang.String', optional: false, description: 'Lines' },
      { name: 'more', type: '[B', uiType: 'List', itemType: { type: 'byte' }, optional: true },
    ],
    outputPorts: [
      {
        name: 'lists',
        type: 'java.util.List',
        uiType: 'List',
        typeArgs: [{ type: 'java.lang.String' }],
        optional: true,
      },
      { name: 'output', type: 'int', optional: false, description: 'Numbers', error: true },
    ],
    properties: [
      { name: 'limit', canGet: true, canSet: true, type: 'int', description: 'At most' },
      {
        name: 'mode',
        canGet: true,
        canSet: true,
        type: 'org.example.Words$Mode',
        uiType: 'Enum',
        description: 'How it counts',
      },
      { name: 'seed', canGet: true, canSet: true, type: 'java.lang.String' },
      { name: 'settings', canGet: true, canSet: true, type: 'org.example.Settings' },
      { name: 'total', canGet: true, canSet: false, type: 'long' },
      {
        name: 'weights',
        canGet: true,
        canSet: true,
        type: 'java.util.Map',
        uiType: 'Map',
        typeArgs: [{ type: 'java.lang.String' }, { type: 'double' }],
      },
    ],
    ancestors: [
      'org.example.lib.Base',
      base,
      'com.datatorrent.api.Operator',
      'com.datatorrent.api.DAG$GenericOperator',
    ],
    jar: 'app/words.jar',
  });
  t.ok(operatorTypes.includes('org.example.lib.Base'), 'abstract ones may be parents');
  t.strictSame(types, {
    'org.example.Settings': {
      kind: 'bean',
      properties: [
        { name: 'depth', canGet: true, canSet: true, type: 'short' },
        { name: 'parent', canGet: true, canSet: true, type: 'org.example.Settings' },
      ],
    },
    'org.example.Words$Mode': { kind: 'enum', values: ['FAST', 'EXACT'], properties: [] },
  });
});

t.test('without texts an operator has a title of its own name', async (t) => {
  const operator = (name: string): ClassSpec => ({ ...source, name });
  const { classes } = await read({
    'app/a.jar': jarOf(['a.HDFSFileCopy', 'b.JdbcPOJOInput2', 'c.Outer$SimpleThing', 'lower'].map(operator)),
  });
  t.strictSame(
    classes.map(({ title }) => title),
    ['HDFS file copy', 'Jdbc POJO input2', 'Simple thing', 'lower'],
  );
});

t.test('what no one could put into an application is no operator', async (t) => {
  const omit = '<tag name="@omitFromUI" text=""/>';
  const hidden = javadoc.replace('<tag name="@category"', `${omit}<tag name="@category"`);
  const { classes } = await read({
    'app/a.jar': jarOf(
      [
        ...operatorClasses,
        { ...source, name: 'org.example.Abstract', flags: flags.public | flags.abstract },
        { ...source, name: 'org.example.Hidden', flags: 0 },
        { ...source, name: 'org.example.Needy', methods: [{ name: '<init>', descriptor: '(I)V' }] },
        { ...source, name: 'org.example.NoInput', implements: [] },
        { name: 'org.example.NoOperator', fields: [{ name: 'input', descriptor: inputPort }] },
        { name: 'org.example.AModule', implements: ['com.datatorrent.api.Module'] },
      ],
      [{ name: 'x-javadoc.xml', content: hidden }],
    ),
    'lib/base.jar': jarOf([genericBase]),
  });
  t.strictSame(names(classes), ['org.example.AModule', 'org.example.Source']);
});

t.test('operators whose ancestors are nowhere are told once for each ancestor', async (t) => {
  const input = 'com.datatorrent.api.InputOperator';
  const { classes, problems } = await read({
    'app/a.jar': jarOf([
      source,
      { ...source, name: 'org.example.A', implements: [input, 'javax.jms.Listener'] },
      { ...source, name: 'org.example.B', extends: 'org.example.A' },
      { ...source, name: 'org.example.C', implements: [input, 'org.apache.hadoop.Tool'] },
    ]),
  });
  t.strictSame(names(classes), ['org.example.C', 'org.example.Source'], 'Hadoop is there at run time');
  t.strictSame(problems, [
    {
      file: 'app/a.jar',
      message:
        "org.example.A and 1 more operators can't be loaded: javax.jms.Listener is in no jar of the package",
    },
  ]);
});

t.test('a port may be of a class of the package', async (t) => {
  const { classes } = await read({
    'app/a.jar': jarOf([
      {
        name: 'org.example.TextPort',
        extends: 'com.datatorrent.api.DefaultInputPort',
        signature: 'Lcom/datatorrent/api/DefaultInputPort<Ljava/lang/String;>;',
      },
      {
        name: 'org.example.Reader',
        extends: base,
        fields: [{ name: 'texts', descriptor: 'Lorg/example/TextPort;' }],
      },
    ]),
  });
  t.strictSame(classes[0]?.inputPorts, [{ name: 'texts', type: 'java.lang.String', optional: false }]);
});

t.test('a broken class, jar or text costs only itself', async (t) => {
  const good = classBytes(source);
  const { classes, problems } = await read({
    'app/a.jar': jarOf(
      [source],
      [
        { name: 'org/example/Cut.class', content: good.subarray(0, 40) },
        { name: 'org/example/Empty.class', content: '' },
        { name: 'org/example/Moved.class', content: good },
        { name: 'org/example/New.class', content: classBytes({ name: 'org.example.New', version: 99 }) },
        { name: 'org/example/Sum.class', content: good, central: { crc: 1 } },
        { name: 'META-INF/versions/21/org/example/Source.class', content: 'for newer Javas only' },
        { name: 'module-info.class', content: 'of modules' },
        {
          name: 'a-javadoc.xml',
          content: '<root><class qualified="org.example.Source"><comment>x</root>',
        },
        { name: 'b-javadoc.xml', content: '<!DOCTYPE root [<!ENTITY a "b">]><root>&a;</root>' },
      ],
    ),
    'lib/broken.jar': Buffer.from('not a jar'),
  });
  t.strictSame(names(classes), ['org.example.Source']);
  const told = problems.map(({ file, message }) => `${file}: ${message}`);
  t.match(told, [
    /^app\/a\.jar: org\/example\/Cut\.class is left out: /,
    'app/a.jar: org/example/Empty.class is left out: it is not a class file',
    'app/a.jar: org/example/New.class is left out: it was compiled for Java 55; classes up to Java 25 can be read',
    /^app\/a\.jar: org\/example\/Sum\.class is left out: The content of "org\/example\/Sum\.class" is not what/,
    /^lib\/broken\.jar: it can't be read: This is not a zip archive/,
    /^app\/a\.jar: a-javadoc\.xml is left out: line 1: Unexpected close tag/,
    'app/a.jar: b-javadoc.xml is left out: line 1: a document type (DOCTYPE) is not allowed here',
  ]);
  t.equal(told.length, 7);
});

t.test('the class path says which jars count, and the first class of a name does', async (t) => {
  const operator = (name: string, tag: string) =>
    jarOf([
      {
        ...source,
        name,
        methods: [
          { name: '<init>', descriptor: '()V' },
          { name: `get${tag}`, descriptor: '()I' },
        ],
      },
    ]);
  const jars = {
    'app/a.jar': operator('x.A', 'App'),
    'app/deep/c.jar': operator('x.C', 'Deep'),
    'lib/a.jar': operator('x.A', 'Lib'),
    'lib/b.jar': operator('x.B', 'Lib'),
    'lib/more/d.jar': operator('x.D', 'More'),
    'other/e.jar': operator('x.E', 'Other'),
  };
  const found = async (...classPath: string[]) => {
    const { classes, problems } = await read(jars, {}, classPath);
    return [
      ...classes.map(({ name, properties }) => `${name} ${names(properties)}`),
      ...problems.map(({ file, message }) => `${file}: ${message}`),
    ];
  };
  t.strictSame(await found('lib/*.jar'), ['x.A app', 'x.B lib']);
  t.strictSame(await found('lib/*', './other/e.jar', '/lib/more/*.jar'), [
    'x.A app',
    'x.B lib',
    'x.D more',
    'x.E other',
  ]);
  t.strictSame(await found('lib/b.jar', 'lib/none.jar'), [
    'x.A app',
    'x.B lib',
    'lib/none.jar: the manifest names it in its Class-Path, but the package does not hold it',
  ]);
  t.strictSame(await found('conf'), ['x.A app']);
});

t.test('applications are found by their interface, also by way of a library', async (t) => {
  const jars = {
    'app/a.jar': jarOf([
      application('org.example.Plain'),
      application('org.example.Named', 'Word count'),
      { name: 'org.example.Inherits', extends: 'org.example.lib.Nearer' },
      { ...application('org.example.Lacks'), extends: 'org.nowhere.Thing' },
      { ...application('org.example.Abstract'), flags: flags.public | flags.abstract },
      { ...application('org.example.Private'), flags: 0 },
      { name: 'org.example.Other' },
    ]),
    'app/broken.jar': Buffer.from('no jar'),
    'lib/a.jar': jarOf([
      { ...application('org.example.lib.AbstractApp'), flags: flags.public | flags.abstract },
    ]),
    'lib/b.jar': jarOf([
      { name: 'org.example.lib.Nearer', extends: 'org.example.lib.AbstractApp', flags: flags.abstract },
      application('org.example.lib.NotOffered'),
    ]),
  };
  const expected = [
    { name: 'org/example/Inherits.class', className: 'org.example.Inherits', file: 'a.jar' },
    {
      name: 'org/example/Lacks.class',
      className: 'org.example.Lacks',
      error: 'org.example.Lacks needs org.nowhere.Thing, which is in no jar of the package',
    },
    { name: 'Word count', displayName: 'Word count', className: 'org.example.Named' },
    { name: 'org/example/Plain.class', displayName: 'org/example/Plain.class' },
    { name: 'org/example/Private.class' },
    { name: 'broken.jar', file: 'broken.jar', error: /^it can't be read: This is not a zip archive/ },
  ];
  const { reader, content } = reading(jars);
  const { signal } = new AbortController();
  const quick = await reader.applications(content, ['lib/*.jar'], signal);
  t.match(quick, expected);
  t.equal(quick.length, expected.length);
  t.strictSame(quick, (await reader.read(content, ['lib/*.jar'], signal)).applications);
});

t.test('every limit names what it leaves out', async (t) => {
  const many = (count: number) =>
    jarOf(Array.from({ length: count }, (_, i) => ({ ...source, name: `x.C${String(i).padStart(3, '0')}` })));
  const size = classBytes({ ...source, name: 'x.C000' }).length;
  const three = { 'lib/a.jar': many(1), 'lib/b.jar': many(2), 'lib/c.jar': many(3) };
  const cases: readonly (readonly [Jars, Partial<JarLimits>, operators: number, problem: RegExp])[] = [
    [{ 'app/a.jar': many(20) }, { maxClasses: 7 }, 7, /more than 7 classes are not looked at/],
    [{ 'app/a.jar': many(20) }, { maxOperators: 5 }, 5, /more than 5 operators/],
    [{ 'app/a.jar': many(20) }, { maxInflatedBytes: 4 * size }, 4, /bytes of classes are not looked at/],
    [{ 'app/a.jar': many(2) }, { maxClassBytes: 100 }, 0, /"x\/C000.class" is larger than the limit of 100/],
    [{ 'app/a.jar': many(2) }, { maxJarBytes: 100 }, 0, /larger than the limit of 100 bytes/],
    [whole, { maxMembers: 3 }, 1, /more than 3 ports and properties/],
    [three, { maxJars: 2 }, 2, /more than 2 jars are not looked at/],
    [whole, { maxJavadocBytes: 10 }, 2, /words-javadoc\.xml" is larger than the limit of 10 bytes/],
  ];
  for (const [jars, limits, operators, problem] of cases) {
    const { classes, problems } = await read(jars, limits);
    t.equal(classes.length, operators, problem.source);
    t.match(problems[0]?.message, problem);
  }
  t.equal(Object.keys((await read(whole, { maxTypes: 1 })).types).length, 1);
  const { classes: brief } = await read(whole, { maxTextLength: 10 });
  t.match(brief[1], { title: 'Word Counter', shortDesc: undefined });
  t.equal(brief[1]?.outputPorts[1]?.description, 'Numbers', 'what fits is told');
  const broken = Array.from({ length: 9 }, (_, i) => ({ name: `B${i}.class`, content: 'x' }));
  const { problems } = await read({ 'app/a.jar': jarOf([], broken) }, { maxProblems: 3 });
  t.equal(problems.length, 4);
  t.equal(problems[3]?.message, 'there are 6 more problems');
});

t.test('what is kept of jars is cut where it would take long to be read again', async (t) => {
  const contents = await read(whole);
  const many = (count: number, texts: number) => ({
    ...contents,
    classes: Array.from({ length: count }, () => contents.classes.slice(1))
      .flat()
      .map((operator) => ({ ...operator, longDesc: 'x'.repeat(texts) })),
  });
  const small = many(10, 1000);
  t.equal(fitted(small), small);
  const wordy = fitted(many(100, 20_000));
  t.equal(wordy.classes.length, 100);
  t.equal(wordy.classes[0]?.longDesc, undefined);
  t.strictSame(wordy.types, contents.types);
  const huge = fitted(many(5000, 0));
  t.ok(huge.classes.length > 100 && huge.classes.length < 5000);
  t.ok(JSON.stringify(huge).length < 1024 ** 2 + 10_000);
  t.match(huge.problems.at(-1)?.message, /operators are left out/);
});

t.test('classes that descend in a circle, or without end, end nothing', async (t) => {
  const line = Array.from({ length: 300 }, (_, i) => ({
    ...source,
    name: `x.L${i}`,
    extends: i === 0 ? base : `x.L${i - 1}`,
    implements: i === 0 ? ['com.datatorrent.api.InputOperator'] : [],
  }));
  const { classes } = await read({
    'app/a.jar': jarOf([
      { ...source, name: 'x.A', extends: 'x.B' },
      { ...source, name: 'x.B', extends: 'x.A' },
      { ...source, name: 'x.Self', extends: 'x.Self' },
      ...line,
    ]),
  });
  t.ok(names(classes).includes('x.L90'));
  t.notOk(names(classes).includes('x.L299'));
});

t.test('others have their turn while many classes are read, and who gives up ends it', async (t) => {
  const classes = Array.from({ length: 400 }, (_, i) => ({ ...words, name: `x.Words${i}` }));
  const { reader, content } = reading({
    'app/a.jar': jarOf(classes),
    'lib/base.jar': jarOf([genericBase]),
  });
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  t.teardown(() => clearInterval(counting));
  const { classes: found } = await reader.read(content, ['lib/*.jar'], new AbortController().signal);
  t.equal(found.length, 401);
  t.notOk(found[0]?.jar, "the engine's own comes along");
  t.ok(turns > 3, `${turns} turns`);

  const leaving = new AbortController();
  const given = reader.read(content, ['lib/*.jar'], leaving.signal);
  setImmediate(() => leaving.abort(new Error('gone')));
  await t.rejects(given, { message: 'gone' });
  const next = await reader.applications(content, [], new AbortController().signal);
  t.equal(next.length, 0, 'the next one goes on');
});
