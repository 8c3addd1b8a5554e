import t from 'tap';
import { jarReader } from '../../../packages/jars/reader.js';
import {
  accessors,
  type ClassSpec,
  type CodeConstants,
  flags,
  jarOf,
  type MemberSpec,
} from '../../helpers/class-bytes.js';
import { base, inputPort, mode } from '../../helpers/operator-jars.js';

const name = 'org.example.Op';
const parent = 'org.example.Parent';

const op = {
  aload0: 42,
  aload1: 43,
  iload1: 27,
  putfield: 181,
  getfield: 180,
  getstatic: 178,
  special: 183,
  virtual: 182,
  static: 184,
  new: 187,
  dup: 89,
  return: 177,
};

type Body = (constants: CodeConstants) => readonly number[];

const made = (body: Body, descriptor = '()V', more: Partial<MemberSpec> = {}): MemberSpec => ({
  name: '<init>',
  descriptor,
  code: (constants) => [...body(constants), op.return],
  ...more,
});
const construct = (owner: string) => (c: CodeConstants) => [
  op.aload0,
  op.special,
  ...c.method(owner, '<init>', '()V'),
];
const superBase = construct(base);

/** A property with a field, as people write it. */
const property = (field: string, type: string, owner = name) => {
  const [get, set] = accessors(field, type);
  const returns = type.length > 1 ? 176 : ({ J: 173, F: 174, D: 175 }[type] ?? 172);
  const getter: MemberSpec = {
    name: '',
    descriptor: '',
    ...get,
    code: (c) => [op.aload0, op.getfield, ...c.field(owner, field, type), returns],
  };
  const setter: MemberSpec = { name: '', descriptor: '', ...set };
  return { field: { name: field, descriptor: type, flags: flags.private }, methods: [getter, setter] };
};

interface Sample {
  readonly fields: Readonly<Record<string, string>>;
  readonly constructors: readonly MemberSpec[];
  readonly extends?: string;
  readonly more?: readonly ClassSpec[];
}

async function defaults({ fields, constructors, extends: superclass = base, more = [] }: Sample) {
  const properties = Object.entries(fields).map(([field, type]) => property(field, type));
  const operator: ClassSpec = {
    name,
    extends: superclass,
    fields: [{ name: 'input', descriptor: inputPort }, ...properties.map(({ field }) => field)],
    methods: [...constructors, ...properties.flatMap(({ methods }) => methods)],
  };
  const jar = jarOf([operator, mode, ...more]);
  const source = { files: [{ name: 'lib/a.jar', size: jar.length }], read: async () => jar };
  const reader = jarReader();
  const { classes } = await reader.read(source, ['lib/*.jar'], new AbortController().signal);
  return classes.find((found) => found.name === name)?.defaultValue;
}

const put = (c: CodeConstants, field: string, type: string, ...value: number[]) => [
  op.aload0,
  ...value,
  op.putfield,
  ...c.field(name, field, type),
];
const call = (c: CodeConstants, descriptor: string, ...args: number[]) => [
  ...args,
  op.static,
  ...c.method('org.example.Other', 'call', descriptor),
];
const enumeration = 'Lorg/example/Words$Mode;';

t.test('constants that a constructor puts are the defaults of properties', async (t) => {
  const boxed = (c: CodeConstants) => [
    op.static,
    ...c.method('java.lang.Integer', 'valueOf', '(I)Ljava/lang/Integer;'),
  ];
  const fields = {
    i: 'I',
    z: 'Z',
    c: 'C',
    j: 'J',
    f: 'F',
    d: 'D',
    s: 'Ljava/lang/String;',
    e: enumeration,
    b: 'Ljava/lang/Integer;',
    untouched: 'I',
    nothing: 'Ljava/lang/String;',
  };
  const found = await defaults({
    fields,
    constructors: [
      made((c) => [
        ...superBase(c),
        // 300 * 2 + 1
        ...put(c, 'i', 'I', 17, 1, 44, 5, 104, 4, 96),
        ...put(c, 'z', 'Z', 4),
        ...put(c, 'c', 'C', 16, 44),
        ...put(c, 'j', 'J', 20, ...c.long(134217728n)),
        ...put(c, 'f', 'F', 19, ...c.float(0.1)),
        ...put(c, 'd', 'D', 15),
        ...put(c, 's', 'Ljava/lang/String;', 19, ...c.string('päth')),
        ...put(c, 'e', enumeration, op.getstatic, ...c.field('org.example.Words$Mode', 'EXACT', enumeration)),
        ...put(c, 'b', 'Ljava/lang/Integer;', 8, ...boxed(c)),
      ]),
    ],
  });
  t.strictSame(found, {
    b: 5,
    c: ',',
    d: 1,
    e: 'EXACT',
    f: 0.1,
    i: 601,
    j: 134217728,
    s: 'päth',
    untouched: 0,
    z: true,
  });
});

t.test('what is not known is left out, and never wrong', async (t) => {
  const three = (c: CodeConstants) => put(c, 'a', 'I', 6);
  const table: [what: string, body: Body, wanted: Record<string, unknown> | undefined][] = [
    ['a call gives a value', (c) => put(c, 'a', 'I', ...call(c, '()I')), { b: 0 }],
    ['a call that does not know the operator', (c) => [...three(c), ...call(c, '()V')], { a: 3, b: 0 }],
    [
      'the operator is given away',
      (c) => [...three(c), ...call(c, '(Ljava/lang/Object;)V', op.aload0)],
      undefined,
    ],
    ['then something is put', (c) => [...call(c, '(Ljava/lang/Object;)V', op.aload0), ...three(c)], { a: 3 }],
    [
      'then something is called',
      (c) => [...call(c, '(Ljava/lang/Object;)V', op.aload0), ...three(c), ...call(c, '()V')],
      undefined,
    ],
    ['a branch', (c) => [...three(c), ...call(c, '()I'), 153, 0, 4, 0], undefined],
    ['division by zero', (c) => put(c, 'a', 'I', 4, 3, 108), { b: 0 }],
    ['a loop without end', () => [167, 0, 0], undefined],
    [
      'a method of its own',
      (c) => [...three(c), op.aload0, op.virtual, ...c.method(name, 'init', '()V')],
      undefined,
    ],
    ['code that ends nowhere', () => [16], undefined],
  ];
  for (const [what, body, wanted] of table) {
    const whole = made((c) => [...superBase(c), ...body(c)]);
    t.strictSame(await defaults({ fields: { a: 'I', b: 'I' }, constructors: [whole] }), wanted, what);
  }
  const catching = made(superBase, '()V', { catches: true });
  t.equal(
    await defaults({ fields: { a: 'I' }, constructors: [catching] }),
    undefined,
    'a handler of exceptions',
  );
});

t.test('constructors call others, and a superclass has its own', async (t) => {
  const put7 = (c: CodeConstants) => [op.aload0, 16, 7, op.putfield, ...c.field(parent, 'limit', 'I')];
  const limit = property('limit', 'I', parent);
  const superclass: ClassSpec = {
    name: parent,
    extends: base,
    flags: flags.public | flags.abstract,
    fields: [limit.field],
    methods: [made((c) => [...superBase(c), ...put7(c)]), ...limit.methods],
  };
  const delegating = [
    made((c) => [op.aload0, 16, 9, op.special, ...c.method(name, '<init>', '(I)V')]),
    made((c) => [...construct(parent)(c), ...put(c, 'a', 'I', op.iload1)], '(I)V'),
  ];
  const sample = { fields: { a: 'I' }, extends: parent, constructors: delegating };
  t.strictSame(await defaults({ ...sample, more: [superclass] }), { a: 9, limit: 7 });
  const unknown = { ...superclass, methods: [made((c) => [...superBase(c), 186]), ...limit.methods] };
  t.strictSame(
    await defaults({ ...sample, more: [unknown] }),
    { a: 9 },
    'of the superclass nothing is known',
  );
});

t.test('an inner class may keep the operator, but not hand it on', async (t) => {
  const inner = `${name}$1`;
  const makes = made((c) => [
    ...superBase(c),
    ...put(c, 'a', 'I', 6),
    ...put(
      c,
      'input',
      inputPort,
      op.new,
      ...c.class(inner),
      op.dup,
      op.aload0,
      op.special,
      ...c.method(inner, '<init>', `(L${name.replaceAll('.', '/')};)V`),
    ),
  ]);
  const innerClass = (more: Body): ClassSpec => ({
    name: inner,
    extends: 'com.datatorrent.api.DefaultInputPort',
    flags: 0,
    fields: [{ name: 'this$0', descriptor: 'Lorg/example/Op;' }],
    methods: [
      made(
        (c) => [
          op.aload0,
          op.aload1,
          op.putfield,
          ...c.field(inner, 'this$0', 'Lorg/example/Op;'),
          ...construct('com.datatorrent.api.DefaultInputPort')(c),
          ...more(c),
        ],
        '(Lorg/example/Op;)V',
        { flags: 0 },
      ),
    ],
  });
  const sample = { fields: { a: 'I' }, constructors: [makes] };
  t.strictSame(await defaults({ ...sample, more: [innerClass(() => [])] }), { a: 3 });
  const handsOn = innerClass((c) => call(c, '(Ljava/lang/Object;)V', op.aload1));
  t.equal(await defaults({ ...sample, more: [handsOn] }), undefined);
  t.equal(await defaults(sample), undefined, 'a class that is not there');
});
