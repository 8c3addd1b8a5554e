import t from 'tap';
import { z } from 'zod';
import { listRoutes } from '../../../lib/http/table.js';
import { routes } from '../../../lib/routes.js';

// A limit on the length of what clients send ends its check: what looks at a value (refinements, patterns, conversions)
// never looks at more than the limit allows. Held for every schema of every route.

const Check = z.looseObject({
  check: z.string(),
  abort: z.boolean().optional(),
});
type Check = z.output<typeof Check>;
const limits = ['max_length', 'length_equals', 'max_size', 'size_equals'];
const isLimit = ({ check }: Check) => limits.includes(check);
/** What takes the longer the longer a value is. */
const looks = ({ check }: Check) => ['custom', 'string_format'].includes(check);

/** A schema and where it stands. */
interface Found {
  readonly at: string;
  readonly schema: z.core.$ZodType;
}

/** The schema, and all that are in it. Each once, for some name themselves. */
function* within({ at, schema }: Found, seen = new Set<unknown>()): Generator<Found> {
  if (seen.has(schema)) return;
  seen.add(schema);
  yield { at, schema };
  for (const [key, part] of Object.entries(schema._zod.def)) {
    const parts: readonly (readonly [string, unknown])[] =
      key === 'shape' && typeof part === 'object' && part !== null
        ? Object.entries(part)
        : Array.isArray(part)
          ? part.map((one: unknown) => ['', one] as const)
          : [['', key === 'getter' && typeof part === 'function' ? part() : part]];
    for (const [name, inner] of parts)
      if (inner instanceof z.core.$ZodType)
        yield* within({ at: name === '' ? at : `${at}.${name}`, schema: inner }, seen);
  }
}

const checksOf = ({ _zod }: z.core.$ZodType): readonly Check[] => [
  ...(_zod.traits.has('$ZodCheck') ? [Check.parse(_zod.def)] : []),
  ...(_zod.def.checks ?? []).map((check) => Check.parse(check._zod.def)),
];

/** What is wrong with a schema itself: something that looks before the limit, or at more than it. */
function wrong(schema: z.core.$ZodType): string | undefined {
  const checks = checksOf(schema);
  const limit = checks.findIndex(isLimit);
  if (limit < 0) return undefined;
  if (checks.slice(0, limit).some(looks)) return 'its limit comes after what looks at it';
  if (checks[limit]?.abort !== true && checks.slice(limit).some(looks)) return 'its limit ends nothing';
  return undefined;
}

/** All that are wrong. A refinement of a whole looks at its parts too. */
function* allWrong(at: string, schema: z.core.$ZodType): Generator<string> {
  for (const found of within({ at, schema })) {
    const problem = wrong(found.schema);
    if (problem !== undefined) yield `${found.at}: ${problem}`;
    if (!checksOf(found.schema).some(({ check }) => check === 'custom')) continue;
    for (const part of within(found)) {
      const open = checksOf(part.schema).find(isLimit);
      if (open && part.schema !== found.schema && open.abort !== true)
        yield `${part.at}: its limit ends nothing, and ${found.at} is looked at`;
    }
  }
}

t.test('the sweep finds them', async (t) => {
  const isShort = (text: string) => text.length < 3;
  const rows: readonly (readonly [z.ZodType, boolean])[] = [
    [z.string().max(3), false],
    [z.string().max(3).refine(isShort), true],
    [z.string().max(3, { abort: true }).refine(isShort), false],
    [z.string().refine(isShort).max(3, { abort: true }), true],
    [z.string().max(3).regex(/a/), true],
    [z.email().max(3, { abort: true }), true],
    [
      z
        .array(z.string())
        .max(3)
        .superRefine(() => {}),
      true,
    ],
    [z.lazy(() => z.object({ a: z.array(z.string().max(3).refine(isShort)).optional() })), true],
    [z.object({ a: z.string().max(3) }).refine(() => true), true],
    [z.object({ a: z.string().max(3, { abort: true }) }).refine(() => true), false],
    [z.string().max(3).transform(isShort), false],
  ];
  for (const [schema, isWrong] of rows)
    t.equal(
      [...allWrong('it', schema)].length > 0,
      isWrong,
      JSON.stringify(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })),
    );

  let looked = 0;
  const conversion = z
    .string()
    .max(3)
    .transform(() => ++looked);
  t.notOk(conversion.safeParse('long').success);
  t.equal(looked, 0, 'a conversion is not done where a limit is broken');
});

t.test('no route has one', async (t) => {
  for (const { id, route } of listRoutes(routes)) {
    const parts = { params: route.params, query: route.query, body: route.body?.schema };
    const found = Object.entries(parts).flatMap(([at, schema]) => (schema ? [...allWrong(at, schema)] : []));
    t.strictSame(found, [], id);
  }
});
