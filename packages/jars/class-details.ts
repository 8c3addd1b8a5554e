import type { AnnotationValues } from './annotations.js';
import { type ClassFile, flag, has, type Member } from './class-file.js';
import type { ConstantPool, MemberRef } from './constant-pool.js';
import type { Step } from './constructor-values.js';
import { constructorsOf } from './constructors.js';
import type { JavaType, TypeScope } from './java-type.js';
import {
  type ClassSignature,
  parseClassSignature,
  parseFieldSignature,
  parseMethodSignature,
} from './signatures.js';

/** What makes operators and values of a class: its signatures are understood, and what nobody sets or connects is left out. */
export interface ClassDetails {
  readonly name: string;
  readonly variables: TypeScope;
  /** Superclass first, with their type arguments. */
  readonly supertypes: readonly JavaType[];
  /** That hold an object. Any of them may be a port. */
  readonly fields: readonly FieldDetails[];
  /** In the order of the class file. */
  readonly accessors: readonly Accessor[];
  readonly annotations: ReadonlyMap<string, AnnotationValues>;
  /** Of an enumeration. */
  readonly values: readonly string[];
  /** Descriptors of all fields that an instance has, by their names. */
  readonly instanceFields: ReadonlyMap<string, string>;
  readonly constructors: ReadonlyMap<string, readonly Step[]>;
  /** Fields that getters return, by the names of the getters, for those that do nothing else. */
  readonly returned: ReadonlyMap<string, MemberRef>;
}

export interface FieldDetails {
  readonly name: string;
  /** Without arguments. */
  readonly className: string;
  readonly type: JavaType;
  readonly annotations: ReadonlyMap<string, AnnotationValues>;
}

export interface Accessor {
  readonly is: 'getter' | 'setter';
  readonly method: string;
  readonly property: string;
  readonly type: JavaType;
}

/** Fields and methods of a class; what a person wrote has fewer. */
const maxMembers = 2_000;

/** Throws `BrokenClass` for signatures that can't be understood. */
export function classDetails(type: ClassFile): ClassDetails {
  const { variables, superclass, interfaces } = signatureOf(type);
  return {
    name: type.name,
    variables,
    supertypes: [superclass, ...interfaces],
    fields: type.fields
      .filter(holdsObject)
      .slice(0, maxMembers)
      .map((field) => ({
        name: field.name,
        className: field.descriptor.slice(1, -1).replaceAll('/', '.'),
        type: parseFieldSignature(field.signature ?? field.descriptor, variables),
        annotations: field.annotations,
      })),
    accessors: type.methods.slice(0, maxMembers).flatMap((method) => accessor(method, variables)),
    annotations: type.annotations,
    values: type.fields.filter((field) => has(field, flag.enum)).map(({ name }) => name),
    instanceFields: new Map(
      type.fields
        .filter((field) => !has(field, flag.static))
        .slice(0, maxMembers)
        .map(({ name, descriptor }) => [name, descriptor]),
    ),
    constructors: constructorsOf(type),
    returned: new Map(
      type.methods.slice(0, maxMembers).flatMap((method) => {
        const field = returnedField(method, type.pool);
        return field ? [[method.name, field] as const] : [];
      }),
    ),
  };
}

const code = { aload0: 42, getfield: 180, ireturn: 172, areturn: 176 };

/** Of `return this.field` and nothing else. */
function returnedField({ name, flags, code: body }: Member, pool?: ConstantPool): MemberRef | undefined {
  if (!/^(get|is)./.test(name) || has({ flags }, flag.static | flag.synthetic)) return undefined;
  const { bytes } = body ?? {};
  if (!pool || bytes?.length !== 5 || bytes[0] !== code.aload0 || bytes[1] !== code.getfield)
    return undefined;
  const last = bytes[4] ?? 0;
  return last >= code.ireturn && last <= code.areturn ? pool.member(bytes.readUInt16BE(2)) : undefined;
}

const holdsObject = ({ descriptor }: Member): boolean => descriptor.startsWith('L');

function signatureOf({ signature, superName, interfaces }: ClassFile): ClassSignature {
  if (signature !== undefined) return parseClassSignature(signature);
  const plain = (name: string): JavaType => ({ kind: 'class', name, args: [] });
  return {
    variables: new Map(),
    superclass: plain(superName ?? 'java.lang.Object'),
    interfaces: interfaces.map(plain),
  };
}

/** `getX`, `isX` of a boolean, `setX`: public ones, and static ones too (engine: `ASMUtil`). */
function accessor(method: Member, scope: TypeScope): Accessor[] {
  const { name, descriptor } = method;
  if (!has(method, flag.public)) return [];
  const signature = () => parseMethodSignature(method.signature ?? descriptor, scope);
  if (/^set./.test(name) && /^\(\[*([A-Z]|L[^;]+;)\)V$/.test(descriptor)) {
    const [type] = signature().parameters;
    return type ? [{ is: 'setter', method: name, property: propertyOf(name, 3), type }] : [];
  }
  const prefix = /^get./.test(name) ? 3 : /^is./.test(name) && descriptor === '()Z' ? 2 : 0;
  if (prefix === 0 || !descriptor.startsWith('()') || descriptor === '()V') return [];
  return [{ is: 'getter', method: name, property: propertyOf(name, prefix), type: signature().returns }];
}

const propertyOf = (method: string, prefix: number): string =>
  method.charAt(prefix).toLowerCase() + method.slice(prefix + 1);
