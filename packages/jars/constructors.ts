import { CallFrame, isWide, Misunderstood, parametersOf } from './call-frame.js';
import type { ClassFile, Code } from './class-file.js';
import { computed, conversions, converted } from './constant-arithmetic.js';
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

/** `undefined` when something is not understood. */
function follow({ bytes }: Code, descriptor: string, pool: ConstantPool): Step[] | undefined {
  const steps: Step[] = [];
  const frame = new CallFrame(descriptor);
  /** What was put here so far, by names. */
  const fields = new Map<string, Value>();

  function call(method: MemberRef, kind: number): void {
    const args = parametersOf(method.descriptor)
      .map(() => frame.pop())
      .reverse();
    const target = kind === op.invokestatic || kind === op.invokedynamic ? undefined : frame.pop();
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
    if (returned !== 'V') frame.push(result, isWide(returned));
  }

  function put(field: MemberRef): void {
    const value = frame.pop();
    const target = frame.pop();
    if (target.is === 'this') {
      fields.set(field.name, value);
      steps.push({ does: 'put', field, value });
    } else if (reaches(value)) steps.push({ does: 'escape' });
  }

  function get(field: MemberRef): void {
    const from = frame.pop();
    const known = from.is === 'this' ? fields.get(field.name) : undefined;
    const isPlain = known?.is === 'constant' || known?.is === 'static';
    frame.push(
      isPlain ? known : { is: 'other', holds: field.descriptor.length > 1 },
      isWide(field.descriptor),
    );
  }

  function compute(code: number): void {
    const type = 'IJFD'.charAt((code - op.iadd) % 4);
    const [b, a] = [frame.pop(), frame.pop()];
    frame.push(computed(Math.floor((code - op.iadd) / 4), type, a, b), isWide(type));
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
      } else if (code === 1) frame.push(constant(null));
      else if (code <= 8) frame.push(constant(code - 3));
      else if (code <= 10) frame.push(constant(BigInt(code - 9)), true);
      else if (code <= 13) frame.push(constant(code - 11));
      else if (code <= 15) frame.push(constant(code - 14), true);
      else if (code === op.bipush) frame.push(constant(bytes.readInt8(at + 1)));
      else if (code === op.sipush) frame.push(constant(bytes.readInt16BE(at + 1)));
      else if (code <= op.ldc2) {
        const loaded = pool.loaded(code === op.ldc ? u1() : u2());
        frame.push(loaded === undefined ? unknown() : constant(loaded), code === op.ldc2);
      } else if (code <= 25) frame.load(u1());
      else if (code <= 45) frame.load((code - 26) % 4);
      else if (code >= 54 && code <= 58) frame.store(u1());
      else if (code >= 59 && code <= 78) frame.store((code - 59) % 4);
      else if (code >= 79 && code <= 86) {
        const [value] = [frame.pop(), frame.pop(), frame.pop()];
        if (reaches(value)) steps.push({ does: 'escape' });
      } else if (code === op.pop) frame.pop();
      else if (code === op.dup) frame.dup();
      else if (code >= op.iadd && code <= op.idiv + 3) compute(code);
      else if (code >= 133 && code <= 147) {
        const [from, to] = conversions[code - 133] ?? '';
        frame.push(converted(frame.pop(), from, to), to === 'J' || to === 'D');
      } else if (code === op.getstatic) {
        const field = pool.member(u2());
        frame.push({ is: 'static', field }, isWide(field.descriptor));
      } else if (code === op.putstatic) {
        if (reaches(frame.pop())) steps.push({ does: 'escape' });
      } else if (code === op.getfield) get(pool.member(u2()));
      else if (code === op.putfield) put(pool.member(u2()));
      else if (code >= op.invokevirtual && code <= op.invokedynamic) call(pool.member(u2()), code);
      else if (code === op.new) frame.push(unknown());
      else if (code === op.newarray || code === op.anewarray) {
        frame.pop();
        frame.push(unknown());
      } else if (code !== op.checkcast) return undefined;
      at += lengthOf(code);
    }
  } catch (error) {
    if (error instanceof Misunderstood || error instanceof RangeError) return undefined;
    throw error;
  }
}

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

const isBoxing = ({ owner, name, descriptor }: MemberRef): boolean =>
  name === 'valueOf' &&
  /^\([A-Z]\)/.test(descriptor) &&
  /^java\.lang\.(Integer|Long|Short|Byte|Double|Float|Boolean|Character)$/.test(owner);
