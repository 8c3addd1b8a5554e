import { CallFrame, isWide, Misunderstood, parametersOf } from './call-frame.js';
import { computed, conversions, converted } from './constant-arithmetic.js';
import type { ConstantPool, MemberRef } from './constant-pool.js';
import { constant, reaches, type Step, unknown, type Value } from './constructor-values.js';
import { op } from './instructions.js';

/** One constructor under way: what each instruction does to its frame, and which steps come of that. */
export class ConstructorRun {
  readonly steps: Step[] = [];
  readonly #pool: ConstantPool;
  readonly #frame: CallFrame;
  /** What was put here so far, by names. */
  readonly #fields = new Map<string, Value>();

  constructor(descriptor: string, pool: ConstantPool) {
    this.#pool = pool;
    this.#frame = new CallFrame(descriptor);
  }

  /** The instruction at a place of the code. Throws `Misunderstood`. */
  execute(bytes: Buffer, at: number): void {
    const code = bytes.readUInt8(at);
    const frame = this.#frame;
    const member = () => this.#pool.member(bytes.readUInt16BE(at + 1));
    if (code === 0) return;
    if (code <= op.ldc2) {
      const { value, wide } = constantOf(bytes, at, this.#pool);
      frame.push(value, wide);
    } else if (code < op.pop) this.#move(code, () => bytes.readUInt8(at + 1));
    else if (code === op.pop) frame.pop();
    else if (code === op.dup) frame.dup();
    else if (code >= op.iadd && code <= op.idiv + 3) this.#compute(code);
    else if (code >= 133 && code <= 147) {
      const [from, to] = conversions[code - 133] ?? '';
      frame.push(converted(frame.pop(), from, to), to === 'J' || to === 'D');
    } else if (code >= op.getstatic && code <= op.putfield) this.#access(code, member());
    else if (code >= op.invokevirtual && code <= op.invokedynamic) this.#call(member(), code);
    else if (code === op.new) frame.push(unknown());
    else if (code === op.newarray || code === op.anewarray) {
      frame.pop();
      frame.push(unknown());
    } else if (code !== op.checkcast) throw new Misunderstood();
  }

  /** Between operands and locals, or into an array. */
  #move(code: number, operand: () => number): void {
    const frame = this.#frame;
    if (code <= 25) frame.load(operand());
    else if (code <= 45) frame.load((code - 26) % 4);
    else if (code < 54) throw new Misunderstood();
    else if (code <= 58) frame.store(operand());
    else if (code <= 78) frame.store((code - 59) % 4);
    else {
      const [value] = [frame.pop(), frame.pop(), frame.pop()];
      this.#escapeBy(value);
    }
  }

  #compute(code: number): void {
    const type = 'IJFD'.charAt((code - op.iadd) % 4);
    const [b, a] = [this.#frame.pop(), this.#frame.pop()];
    this.#frame.push(computed(Math.floor((code - op.iadd) / 4), type, a, b), isWide(type));
  }

  #access(code: number, field: MemberRef): void {
    if (code === op.getstatic) this.#frame.push({ is: 'static', field }, isWide(field.descriptor));
    else if (code === op.putstatic) this.#escapeBy(this.#frame.pop());
    else if (code === op.getfield) this.#get(field);
    else this.#put(field);
  }

  #get(field: MemberRef): void {
    const from = this.#frame.pop();
    const known = from.is === 'this' ? this.#fields.get(field.name) : undefined;
    const isPlain = known?.is === 'constant' || known?.is === 'static';
    this.#frame.push(
      isPlain ? known : { is: 'other', holds: field.descriptor.length > 1 },
      isWide(field.descriptor),
    );
  }

  #put(field: MemberRef): void {
    const value = this.#frame.pop();
    const target = this.#frame.pop();
    if (target.is === 'this') {
      this.#fields.set(field.name, value);
      this.steps.push({ does: 'put', field, value });
    } else this.#escapeBy(value);
  }

  /** A value goes where others find it. */
  #escapeBy(value: Value): void {
    if (reaches(value)) this.steps.push({ does: 'escape' });
  }

  #call(method: MemberRef, kind: number): void {
    const args = parametersOf(method.descriptor)
      .map(() => this.#frame.pop())
      .reverse();
    const hasTarget = kind !== op.invokestatic && kind !== op.invokedynamic;
    const target = hasTarget ? this.#frame.pop() : undefined;
    const result = this.#resultOf(method, kind, target, args);
    const returned = method.descriptor.slice(method.descriptor.indexOf(')') + 1);
    if (returned !== 'V') this.#frame.push(result, isWide(returned));
  }

  #resultOf(method: MemberRef, kind: number, target: Value | undefined, args: readonly Value[]): Value {
    const knows = args.some(reaches);
    if (method.name === '<init>' && target?.is === 'this') {
      this.steps.push({ does: 'construct', method, args });
      return unknown();
    }
    if (method.name === '<init>' && target?.is === 'other') {
      target.holds = knows;
      this.steps.push(knows ? { does: 'make', method } : { does: 'call' });
      return unknown();
    }
    // It makes a function of what it is given, and does not call it.
    if (kind === op.invokedynamic) return { is: 'other', holds: knows };
    const boxed = kind === op.invokestatic && isBoxing(method) ? args[0] : undefined;
    if (boxed) return boxed;
    const escapes = knows || (target !== undefined && reaches(target));
    this.steps.push({ does: escapes ? 'escape' : 'call' });
    return { is: 'other', holds: escapes };
  }
}

/** What an instruction up to `ldc2_w` puts on the stack. */
function constantOf(bytes: Buffer, at: number, pool: ConstantPool): { value: Value; wide: boolean } {
  const code = bytes.readUInt8(at);
  if (code === 1) return { value: constant(null), wide: false };
  if (code <= 8) return { value: constant(code - 3), wide: false };
  if (code <= 10) return { value: constant(BigInt(code - 9)), wide: true };
  if (code <= 13) return { value: constant(code - 11), wide: false };
  if (code <= 15) return { value: constant(code - 14), wide: true };
  if (code === op.bipush) return { value: constant(bytes.readInt8(at + 1)), wide: false };
  if (code === op.sipush) return { value: constant(bytes.readInt16BE(at + 1)), wide: false };
  const loaded = pool.loaded(code === op.ldc ? bytes.readUInt8(at + 1) : bytes.readUInt16BE(at + 1));
  return { value: loaded === undefined ? unknown() : constant(loaded), wide: code === op.ldc2 };
}

const isBoxing = ({ owner, name, descriptor }: MemberRef): boolean =>
  name === 'valueOf' &&
  /^\([A-Z]\)/.test(descriptor) &&
  /^java\.lang\.(Integer|Long|Short|Byte|Double|Float|Boolean|Character)$/.test(owner);
