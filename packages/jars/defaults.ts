import type { PropertyDescription } from 'headgate/driver-kit';
import { flag, has } from './class-file.js';
import type { MemberRef } from './constant-pool.js';
import type { Step, Value } from './constructor-values.js';
import type { Classes, Lineage } from './lineage.js';
import { platformKind } from './platform-types.js';

/** What properties of a new instance have, as far as its constructors tell; nothing that is only guessed, and no `null`. */
export function defaultsOf(
  lineage: Lineage,
  properties: readonly PropertyDescription[],
  classes: Classes,
): Record<string, unknown> {
  const [own] = lineage.details;
  if (!own) return {};
  const fields = instanceOf(own.name, classes);
  const found: [string, unknown][] = [];
  for (const { name, canGet } of properties) {
    if (!canGet) continue;
    const getter = lineage.details.find(({ accessors }) =>
      accessors.some(({ is, property }) => is === 'getter' && property === name),
    );
    const method = getter?.accessors.find(({ is, property }) => is === 'getter' && property === name)?.method;
    const field = getter?.returned.get(method ?? '');
    const place = field && declared(field, classes);
    const value = place && fields.get(place);
    if (value !== undefined && value !== null) found.push([name, value]);
  }
  return Object.fromEntries(found);
}

/** By class and name, of which the class is the one that declares it. What is not known is `undefined`. */
interface Fields {
  get(place: Place): unknown;
}

interface Place {
  readonly key: string;
  readonly descriptor: string;
}

/** Constructors that call each other. */
const maxDepth = 64;
const maxRuns = 500;

function instanceOf(name: string, classes: Classes): Fields {
  const known = new Map<string, unknown>();
  /** What no constructor has put has the value that memory begins with, until code might have put another. */
  let isOpen = true;
  let hasEscaped = false;
  let runs = 0;

  function forget(): void {
    known.clear();
    isOpen = false;
    hasEscaped = true;
  }

  function run(owner: string, descriptor: string, args: readonly Value[], depth: number): void {
    if (isHarmless(owner)) return;
    const steps = classes.details(owner)?.constructors.get(descriptor);
    if (!steps || depth > maxDepth || runs++ > maxRuns) forget();
    else for (const step of steps) take(step, args, depth);
  }

  function take(step: Step, args: readonly Value[], depth: number): void {
    const inner = (value: Value) => (value.is === 'parameter' ? (args[value.index] ?? lost) : value);
    if (step.does === 'construct') {
      const { owner, descriptor } = step.method;
      run(owner, descriptor, step.args.map(inner), depth + 1);
    } else if (step.does === 'put') {
      const place = declared(step.field, classes);
      if (place) known.set(place.key, told(inner(step.value), place.descriptor, classes));
      else forget();
    } else if (step.does === 'escape' || hasEscaped) forget();
    else if (step.does === 'make' && !isQuiet(step.method, classes, 0)) forget();
  }

  run(name, '()V', [], 0);
  return {
    get({ key, descriptor }) {
      if (known.has(key)) return known.get(key);
      return isOpen ? initial(descriptor) : undefined;
    },
  };
}

const lost: Value = { is: 'other', holds: true };

/** Constructors of these do nothing to who extends or makes them. */
const isHarmless = (name: string): boolean =>
  name === 'java.lang.Object' ||
  name === 'com.datatorrent.common.util.BaseOperator' ||
  /^com\.datatorrent\.api\.Default(In|Out)putPort$/.test(name);

const maxQuietDepth = 4;

/** Whether the constructor only keeps what it is given, and gives neither that nor the new object to anybody. */
function isQuiet({ owner, descriptor }: MemberRef, classes: Classes, depth: number): boolean {
  if (isHarmless(owner)) return true;
  const steps = classes.details(owner)?.constructors.get(descriptor);
  if (!steps || depth > maxQuietDepth) return false;
  return steps.every(
    (step) =>
      step.does === 'put' ||
      step.does === 'call' ||
      ((step.does === 'construct' || step.does === 'make') && isQuiet(step.method, classes, depth + 1)),
  );
}

/** In the class that is named, or the nearest that it extends. */
function declared({ owner, name }: MemberRef, { details }: Classes): Place | undefined {
  let at: string | undefined = owner;
  for (let depth = 0; at !== undefined && depth < maxDepth; depth++) {
    const type = details(at);
    const descriptor = type?.instanceFields.get(name);
    if (descriptor !== undefined) return { key: `${at}.${name}`, descriptor };
    const parent = type?.supertypes[0];
    at = parent?.kind === 'class' ? parent.name : undefined;
  }
  return undefined;
}

function initial(descriptor: string): unknown {
  if (descriptor === 'Z') return false;
  if (descriptor === 'C') return undefined;
  return descriptor.length === 1 ? 0 : null;
}

const boxes: Readonly<Record<string, string>> = {
  'Ljava/lang/Boolean;': 'Z',
  'Ljava/lang/Character;': 'C',
  'Ljava/lang/Float;': 'F',
};

/** As JSON; `undefined` for what is not known, or is nothing that JSON can hold. */
function told(value: Value, descriptor: string, { graph }: Classes): unknown {
  if (value.is === 'static') {
    const { owner, name, descriptor: type } = value.field;
    const isOwn = type === `L${owner.replaceAll('.', '/')};`;
    const node = graph.node(owner);
    const isEnum = node ? has(node, flag.enum) : platformKind(owner) === 'java.lang.Enum';
    return isOwn && isEnum ? name : undefined;
  }
  if (value.is !== 'constant') return undefined;
  const { value: content } = value;
  const type = boxes[descriptor] ?? descriptor;
  if (content === null || typeof content === 'string') return content;
  if (type === 'Z') return content !== 0;
  if (type === 'C') return typeof content === 'number' ? String.fromCharCode(content) : undefined;
  const number = type === 'F' ? shortest(Number(content)) : Number(content);
  const isExact = typeof content === 'number' || Number.isSafeInteger(number);
  return isExact && Number.isFinite(number) ? number : undefined;
}

/** `0.1` for the float that is nearest to it. */
function shortest(float: number): number {
  for (let digits = 1; digits < 10; digits++) {
    const number = Number(float.toPrecision(digits));
    if (Math.fround(number) === float) return number;
  }
  return float;
}

/** Classes of objects that constructors of this class make and give itself to. */
export function madeBy(name: string, { details }: Classes): string[] {
  return [...(details(name)?.constructors ?? [])].flatMap(([, steps]) =>
    steps.flatMap((step) => (step.does === 'make' ? [step.method.owner] : [])),
  );
}
