import type { ClassFile, Code } from './class-file.js';
import type { ConstantPool, MemberRef } from './constant-pool.js';
import { constant, reaches, type Step, unknown, type Value } from './constructor-values.js';

// Follows the code of constructors without running anything: constants, fields and what calls what. What is not
// understood makes the whole constructor unknown (JVM specification 6.5).

/** Of one constructor; more is not followed. */
const maxSteps = 2_000;
const maxConstructors = 20;

/** What the constructors of a class do, by their descriptors; `undefined` for those that can't be followed. */
export function constructorsOf({ methods, pool }: ClassFile): ReadonlyMap<string, readonly Step[]> {
  const found = new Map<string, readonly Step[]>();
  for (const { name, descriptor, code } of methods) {
    if (name !== '<init>' || !code || !pool || found.size === maxConstructors) continue;
    const steps = code.catches ? undefined : follow(code, descriptor, pool);
    if (steps) found.set(descriptor, steps);
  }
  return found;
}

/** Of a descriptor: `I` or `J` and the like for each parameter, in their order. */
const parametersOf = (descriptor: string): string[] =>
  [...descriptor.slice(1, descriptor.indexOf(')')).matchAll(/\[*(?:L[^;]+;|[A-Z])/g)].map(([type]) => type);

const isWide = (descriptor: string): boolean => descriptor === 'J' || descriptor === 'D';

interface Slot {
  readonly value: Value;
  readonly wide: boolean;
}

/** `undefined` when something is not understood. */
function follow({ bytes }: Code, descriptor: string, pool: ConstantPool): Step[] | undefined {
  const steps: Step[] = [];
  const stack: Slot[] = [];
  const locals: (Slot | undefined)[] = [{ value: { is: 'this' }, wide: false }];
  parametersOf(descriptor).forEach((type, index) => {
    locals.push({ value: { is: 'parameter', index }, wide: isWide(type) });
    if (isWide(type)) locals.push(undefined);
  });
  /** What was put here so far, by names. */
  const fields = new Map<string, Value>();

  const push = (value: Value, wide = false) => stack.push({ value, wide });
  const pop = (): Value => {
    const slot = stack.pop();
    if (!slot) throw new Misunderstood();
    return slot.value;
  };
  const load = (index: number) => {
    const slot = locals[index];
    if (!slot) throw new Misunderstood();
    stack.push(slot);
  };
  const store = (index: number) => {
    const slot = stack.pop();
    if (!slot || index > maxLocals) throw new Misunderstood();
    locals[index] = slot;
  };

  function call(method: MemberRef, kind: number): void {
    const args = parametersOf(method.descriptor)
      .map(() => pop())
      .reverse();
    const target = kind === op.invokestatic || kind === op.invokedynamic ? undefined : pop();
    const knows = args.some(reaches);
    const returned = method.descriptor.slice(method.descriptor.indexOf(')') + 1);
    let result = unknown();
    if (method.name === '<init>' && target?.is === 'this') {
      steps.push({ does: 'construct', method, args });
    } else if (method.name === '<init>' && target?.is === 'other') {
      target.holds = knows;
      steps.push(knows ? { does: 'make', method } : { does: 'call' });
    } else if (kind === op.invokedynamic) {
      // It makes a function of what it is given, and does not call it.
      result = { is: 'other', holds: knows };
    } else {
      const boxed = kind === op.invokestatic && isBoxing(method) ? args[0] : undefined;
      const escapes = knows || (target !== undefined && reaches(target));
      if (!boxed) steps.push({ does: escapes ? 'escape' : 'call' });
      result = boxed ?? { is: 'other', holds: escapes };
    }
    if (returned !== 'V') push(result, isWide(returned));
  }

  function put(field: MemberRef): void {
    const value = pop();
    const target = pop();
    if (target.is === 'this') {
      fields.set(field.name, value);
      steps.push({ does: 'put', field, value });
    } else if (reaches(value)) steps.push({ does: 'escape' });
  }

  function get(field: MemberRef): void {
    const from = pop();
    const known = from.is === 'this' ? fields.get(field.name) : undefined;
    const isPlain = known?.is === 'constant' || known?.is === 'static';
    push(isPlain ? known : { is: 'other', holds: field.descriptor.length > 1 }, isWide(field.descriptor));
  }

  function compute(code: number): void {
    const type = 'IJFD'.charAt((code - op.iadd) % 4);
    const [b, a] = [pop(), pop()];
    push(computed(Math.floor((code - op.iadd) / 4), type, a, b), isWide(type));
  }

  try {
    for (let at = 0, left = maxSteps; ; left--) {
      const code = bytes.readUInt8(at);
      if (left === 0) return undefined;
      if (code === op.return) return steps;
      const u1 = () => bytes.readUInt8(at + 1);
      const u2 = () => bytes.readUInt16BE(at + 1);
      if (code === op.goto) {
        at += bytes.readInt16BE(at + 1);
        continue;
      }
      if (code === 0) {
        // Nothing to do.
      } else if (code === 1) push(constant(null));
      else if (code <= 8) push(constant(code - 3));
      else if (code <= 10) push(constant(BigInt(code - 9)), true);
      else if (code <= 13) push(constant(code - 11));
      else if (code <= 15) push(constant(code - 14), true);
      else if (code === op.bipush) push(constant(bytes.readInt8(at + 1)));
      else if (code === op.sipush) push(constant(bytes.readInt16BE(at + 1)));
      else if (code <= op.ldc2) {
        const loaded = pool.loaded(code === op.ldc ? u1() : u2());
        push(loaded === undefined ? unknown() : constant(loaded), code === op.ldc2);
      } else if (code <= 25) load(u1());
      else if (code <= 45) load((code - 26) % 4);
      else if (code >= 54 && code <= 58) store(u1());
      else if (code >= 59 && code <= 78) store((code - 59) % 4);
      else if (code >= 79 && code <= 86) {
        const [value] = [pop(), pop(), pop()];
        if (reaches(value)) steps.push({ does: 'escape' });
      } else if (code === op.pop) pop();
      else if (code === op.dup) stack.push(topOf(stack));
      else if (code >= op.iadd && code <= op.idiv + 3) compute(code);
      else if (code >= 133 && code <= 147) {
        const [from, to] = conversions[code - 133] ?? '';
        push(converted(pop(), from, to), to === 'J' || to === 'D');
      } else if (code === op.getstatic) {
        const field = pool.member(u2());
        push({ is: 'static', field }, isWide(field.descriptor));
      } else if (code === op.putstatic) {
        if (reaches(pop())) steps.push({ does: 'escape' });
      } else if (code === op.getfield) get(pool.member(u2()));
      else if (code === op.putfield) put(pool.member(u2()));
      else if (code >= op.invokevirtual && code <= op.invokedynamic) call(pool.member(u2()), code);
      else if (code === op.new) push(unknown());
      else if (code === op.newarray || code === op.anewarray) {
        pop();
        push(unknown());
      } else if (code !== op.checkcast) return undefined;
      at += lengthOf(code);
    }
  } catch (error) {
    if (error instanceof Misunderstood || error instanceof RangeError) return undefined;
    throw error;
  }
}

class Misunderstood extends Error {}

const maxLocals = 255;

const op = {
  bipush: 16,
  sipush: 17,
  ldc: 18,
  ldc2: 20,
  pop: 87,
  dup: 89,
  iadd: 96,
  idiv: 108,
  goto: 167,
  return: 177,
  getstatic: 178,
  putstatic: 179,
  getfield: 180,
  putfield: 181,
  invokevirtual: 182,
  invokestatic: 184,
  invokedynamic: 186,
  new: 187,
  newarray: 188,
  anewarray: 189,
  checkcast: 192,
};

function lengthOf(code: number): number {
  if (code === op.bipush || code === op.ldc || code === op.newarray) return 2;
  if ((code >= 21 && code <= 25) || (code >= 54 && code <= 58)) return 2;
  if (code === 185 || code === op.invokedynamic) return 5;
  if (code === op.sipush || code === 19 || code === op.ldc2 || code >= op.getstatic) return 3;
  return 1;
}

function topOf(stack: readonly Slot[]): Slot {
  const top = stack.at(-1);
  // A pair of narrow ones is never meant: that is `dup2`.
  if (!top || top.wide) throw new Misunderstood();
  return top;
}

const isBoxing = ({ owner, name, descriptor }: MemberRef): boolean =>
  name === 'valueOf' &&
  /^\([A-Z]\)/.test(descriptor) &&
  /^java\.lang\.(Integer|Long|Short|Byte|Double|Float|Boolean|Character)$/.test(owner);

/** `which`: addition, subtraction, multiplication, division. */
function computed(which: number, type: string, a: Value, b: Value): Value {
  if (a.is !== 'constant' || b.is !== 'constant') return unknown();
  const [x, y] = [a.value, b.value];
  if (typeof x === 'bigint' && typeof y === 'bigint') {
    if (which === 3 && y === 0n) return unknown();
    return constant(BigInt.asIntN(64, [x + y, x - y, x * y, y === 0n ? 0n : x / y][which] ?? 0n));
  }
  if (typeof x !== 'number' || typeof y !== 'number' || type === 'J') return unknown();
  if (type === 'I') {
    if (which === 3 && y === 0) return unknown();
    return constant([(x + y) | 0, (x - y) | 0, Math.imul(x, y), (x / y) | 0][which] ?? 0);
  }
  const result = [x + y, x - y, x * y, x / y][which] ?? 0;
  return constant(type === 'F' ? Math.fround(result) : result);
}

/** From the code 133 on: from what, to what. */
const conversions = 'IJ IF ID JI JF JD FI FJ FD DI DJ DF IB IC IS'.split(' ');

function converted(value: Value, from = '', to = ''): Value {
  if (value.is !== 'constant') return unknown();
  const { value: number } = value;
  if (from === 'I' && typeof number === 'number') {
    if (to === 'J') return constant(BigInt(number));
    if (to === 'D') return constant(number);
    if (to === 'F') return constant(Math.fround(number));
    if (to === 'B') return constant((number << 24) >> 24);
    if (to === 'C') return constant(number & 0xffff);
    return constant((number << 16) >> 16);
  }
  if (from === 'J' && typeof number === 'bigint') {
    if (to === 'I') return constant(Number(BigInt.asIntN(32, number)));
    return to === 'D' ? constant(Number(number)) : unknown();
  }
  if (from === 'F' && to === 'D') return value;
  if (from === 'D' && to === 'F' && typeof number === 'number') return constant(Math.fround(number));
  return unknown();
}
