import fc from 'fast-check';
import t from 'tap';
import { BrokenClass } from '../../../packages/jars/broken-class.js';
import { classDetails } from '../../../packages/jars/class-details.js';
import { parseClassFile } from '../../../packages/jars/class-file.js';
import {
  parseClassSignature,
  parseFieldSignature,
  parseMethodSignature,
} from '../../../packages/jars/signatures.js';
import { describeType } from '../../../packages/jars/type-description.js';
import { accessors, classBytes, flags } from '../../helpers/class-bytes.js';

const sample = classBytes({
  name: 'org.example.Über$Inner',
  extends: 'org.example.Base',
  implements: ['java.io.Serializable', 'org.example.Two'],
  flags: flags.public | flags.abstract,
  signature: '<T:Ljava/lang/Object;>Lorg/example/Base<TT;>;Ljava/io/Serializable;Lorg/example/Two;',
  annotations: [
    {
      type: 'org.example.Marked',
      values: {
        text: 'a\0b 😀 ü',
        yes: true,
        count: { int: -3 },
        big: { long: 2n ** 40n },
        ratio: { double: 0.5 },
        letter: { char: 'ß' },
        choice: { enum: ['org.example.Color', 'RED'] },
        type: { class: 'java.lang.String' },
        inner: { annotation: { type: 'org.example.Other', values: { deep: 'x' } } },
        list: ['p', 'q'],
      },
    },
  ],
  fields: [
    { name: 'count', descriptor: 'I', flags: flags.private, annotations: [{ type: 'org.example.Plain' }] },
  ],
  methods: accessors('items', 'Ljava/util/List;', 'Ljava/util/List<TT;>;'),
});

t.test('a class file tells what there is, and passes over the rest', async (t) => {
  const type = parseClassFile(sample);
  t.match(type, {
    name: 'org.example.Über$Inner',
    superName: 'org.example.Base',
    interfaces: ['java.io.Serializable', 'org.example.Two'],
    flags: flags.public | flags.abstract,
    fields: [{ name: 'count', descriptor: 'I', flags: flags.private }],
  });
  t.strictSame(
    type.methods.map(({ name, descriptor, signature }) => [name, descriptor, signature]),
    [
      ['<init>', '()V', undefined],
      ['getItems', '()Ljava/util/List;', '()Ljava/util/List<TT;>;'],
      ['setItems', '(Ljava/util/List;)V', '(Ljava/util/List<TT;>;)V'],
    ],
  );
  t.strictSame(Object.fromEntries(type.annotations.get('org.example.Marked') ?? []), {
    text: 'a\0b 😀 ü',
    yes: true,
    count: -3,
    big: 2 ** 40,
    ratio: 0.5,
    letter: 'ß',
    choice: 'RED',
    type: 'java.lang.String',
    list: ['p', 'q'],
  });
  t.ok(type.fields[0]?.annotations.has('org.example.Plain'));
  t.equal(parseClassFile(classBytes({ name: 'java.lang.Object', extends: null })).superName, undefined);
});

t.test('a class file that is cut anywhere is broken, and says so', async (t) => {
  for (let length = 0; length < sample.length; length++) {
    t.throws(() => parseClassFile(sample.subarray(0, length)), BrokenClass, `${length} bytes`);
  }
});

t.test('a class file that was changed anywhere is read or broken, and nothing else', async (t) => {
  const holds = () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(sample.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 }),
        (changes) => {
          const bytes = Buffer.from(sample);
          for (const [at, byte] of changes) bytes[at] = byte;
          try {
            classDetails(parseClassFile(bytes));
          } catch (error) {
            if (!(error instanceof BrokenClass)) throw error;
          }
        },
      ),
      { numRuns: 1000 },
    );
  t.doesNotThrow(holds);
});

t.test('what can not be read says why', async (t) => {
  t.throws(() => parseClassFile(Buffer.from('PK\x03\x04 and more of it')), {
    message: 'it is not a class file',
  });
  t.throws(() => parseClassFile(classBytes({ name: 'A', version: 99 })), {
    message: 'it was compiled for Java 55; classes up to Java 25 can be read',
  });
  t.doesNotThrow(() => parseClassFile(classBytes({ name: 'A', version: 69 })));
  const unknown = Buffer.from(sample);
  unknown[10] = 99;
  t.throws(() => parseClassFile(unknown), { message: 'it has a constant of the unknown kind 99' });
  t.throws(
    () => parseFieldSignature(`${'['.repeat(1000)}I`, new Map()),
    /its signature "\[+" can't be understood/,
  );
});

t.test('types are told as the engine tells them', async (t) => {
  const { variables } = parseClassSignature(
    '<K:Ljava/lang/Object;V::Ljava/util/Collection<TK;>;S:TV;C::Ljava/lang/Comparable<TC;>;>Ljava/lang/Object;',
  );
  const collections = ['java.util.List', 'java.util.Set'];
  const isA = (name: string, ancestor: string) =>
    (ancestor === 'java.util.Collection' && collections.includes(name)) ||
    (ancestor === 'java.lang.Enum' && name === 'org.example.Color') ||
    (ancestor === 'java.util.Map' && name === 'java.util.HashMap');
  const cases: readonly (readonly [signature: string, description: object])[] = [
    ['I', { type: 'int' }],
    ['Z', { type: 'boolean' }],
    ['Ljava/lang/Integer;', { type: 'int' }],
    ['Ljava/lang/Double;', { type: 'double' }],
    ['Ljava/lang/Boolean;', { type: 'java.lang.Boolean', uiType: 'boolean' }],
    ['Ljava/lang/Character;', { type: 'java.lang.Character', uiType: 'char' }],
    ['Ljava/lang/String;', { type: 'java.lang.String' }],
    ['Ljava/net/URI;', { type: 'java.lang.String' }],
    [
      'Ljava/lang/Class<*>;',
      { type: 'java.lang.String', typeArgs: [wild('upper', 'class java.lang.Object')] },
    ],
    ['Lorg/example/Color;', { type: 'org.example.Color', uiType: 'Enum' }],
    ['[B', { type: '[B', uiType: 'List', itemType: { type: 'byte' } }],
    [
      '[[Ljava/lang/String;',
      {
        type: '[[Ljava.lang.String;',
        uiType: 'List',
        itemType: { type: '[Ljava.lang.String;', uiType: 'List', itemType: { type: 'java.lang.String' } },
      },
    ],
    [
      'Ljava/util/HashMap<Ljava/lang/String;Ljava/util/List<+Ljava/lang/Number;>;>;',
      {
        type: 'java.util.HashMap',
        uiType: 'Map',
        typeArgs: [
          { type: 'java.lang.String' },
          { type: 'java.util.List', uiType: 'List', typeArgs: [wild('upper', 'class java.lang.Number')] },
        ],
      },
    ],
    ['Lorg/example/Sink<-TK;>;', { type: 'org.example.Sink', typeArgs: [wild('lower', 'K')] }],
    ['TK;', { type: 'java.lang.Object', typeLiteral: 'K' }],
    [
      'TV;',
      {
        type: 'java.util.Collection',
        uiType: 'List',
        typeArgs: [{ type: 'java.lang.Object', typeLiteral: 'K' }],
        typeLiteral: 'V',
      },
    ],
    ['TUnknown;', { type: 'java.lang.Object', typeLiteral: 'Unknown' }],
    ['Lorg/example/Outer<TK;>.Inner;', { type: 'org.example.Outer$Inner' }],
    [
      'TC;',
      {
        type: 'java.lang.Comparable',
        typeArgs: [{ type: 'java.lang.Comparable', typeLiteral: 'C' }],
        typeLiteral: 'C',
      },
    ],
  ];
  for (const [signature, description] of cases) {
    const found = describeType(parseFieldSignature(signature, variables), new Map(), isA);
    if (signature === 'TC;') t.match(found, { type: 'java.lang.Comparable', typeLiteral: 'C' }, 'ends');
    else t.strictSame(found, description, signature);
  }
});

t.test('types that multiply or go round are told as far as it goes', async (t) => {
  const bound = (name: string) => `Lorg/example/Many<${`T${name};`.repeat(20)}>;`;
  const names = [...'ABCDEFGHIJ'];
  const chain = names.map((name, i) => `${name}:${bound(names[i + 1] ?? 'A')}`).join('');
  const { variables } = parseClassSignature(`<${chain}R:[TR;>Ljava/lang/Object;`);
  const isA = () => false;
  const told = describeType(parseFieldSignature('TA;', variables), new Map(), isA);
  t.ok(JSON.stringify(told).length < 100_000);
  t.match(describeType(parseFieldSignature('[TR;', variables), new Map(), isA), { uiType: 'List' });
});

const wild = (bound: 'upper' | 'lower', text: string) => ({
  type: '?',
  typeBounds: { upper: [], lower: [], [bound]: [text] },
});

t.test('signatures of methods may have variables of their own', async (t) => {
  const { parameters, returns } = parseMethodSignature(
    '<T:Ljava/lang/Object;>(Ljava/util/List<TT;>;J)TT;^Ljava/io/IOException;',
    new Map(),
  );
  t.match(parameters, [
    { kind: 'class', name: 'java.util.List', args: [{ kind: 'variable', variable: { name: 'T' } }] },
    { kind: 'primitive', name: 'long' },
  ]);
  t.match(returns, { kind: 'variable', variable: { name: 'T' } });
});

t.test('getters and setters are public, and have the form of beans', async (t) => {
  const details = classDetails(
    parseClassFile(
      classBytes({
        name: 'org.example.Bean',
        methods: [
          { name: '<init>', descriptor: '()V' },
          { name: 'getName', descriptor: '()Ljava/lang/String;' },
          { name: 'isReady', descriptor: '()Z' },
          { name: 'isReadyLater', descriptor: '()Ljava/lang/Boolean;' },
          { name: 'getNothing', descriptor: '()V' },
          { name: 'getAt', descriptor: '(I)J' },
          { name: 'setURL', descriptor: '(Ljava/lang/String;)V' },
          { name: 'setGrid', descriptor: '([[D)V' },
          { name: 'setBoth', descriptor: '(II)V' },
          { name: 'setFluent', descriptor: '(I)Lorg/example/Bean;' },
          { name: 'get', descriptor: '()I' },
          { name: 'setHidden', descriptor: '(I)V', flags: flags.private },
        ],
      }),
    ),
  );
  t.strictSame(
    details.accessors.map(({ is, property }) => `${is} ${property}`),
    ['getter name', 'getter ready', 'setter uRL', 'setter grid'],
  );
});
