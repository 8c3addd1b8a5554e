import { type ClassFile, flag, type Member } from './class-file.js';
import { engineTypes } from './engine-types.js';
import type { JavaType } from './java-type.js';
import { parseClassSignature } from './signatures.js';

const none: ClassFile['annotations'] = new Map();

/** The engine's own types by their names, as if their class files had been read. */
export const engineClasses = (): ReadonlyMap<string, ClassFile> =>
  new Map(
    engineTypes
      .trim()
      .split('\n')
      .map((line) => engineClass(line))
      .map((type) => [type.name, type]),
  );

function engineClass(line: string): ClassFile {
  const [name = '', flags = '', signature = '', ...members] = line.split(' ');
  const { superclass, interfaces } = parseClassSignature(signature);
  return {
    name,
    flags: Number.parseInt(flags, 16),
    superName: classNameOf(superclass),
    interfaces: interfaces.map(classNameOf),
    signature,
    annotations: none,
    fields: members.flatMap((text) => field(text, name)),
    methods: members.filter((text) => !/^[#=]/.test(text)).map(method),
  };
}

function field(text: string, className: string): Member[] {
  const [, port, signature = ''] = /^#([^:]+):(.*)$/.exec(text) ?? [];
  if (port !== undefined) return [{ ...member(port, erased(signature)), signature }];
  if (!text.startsWith('=')) return [];
  return [{ ...member(text.slice(1), `L${className};`), flags: flag.public | flag.static | flag.enum }];
}

function method(text: string): Member {
  const [, name = '', signature = ''] = /^(<init>|[^(<]+)(.*)$/.exec(text) ?? [];
  return { ...member(name, signature), signature };
}

const member = (name: string, descriptor: string): Member => ({
  name,
  flags: flag.public,
  descriptor,
  signature: undefined,
  annotations: none,
});

/** `Lorg/example/Box<TT;>;` is an `Lorg/example/Box;`. */
const erased = (signature: string): string => signature.replace(/<.*>/, '');

const classNameOf = (type: JavaType): string => (type.kind === 'class' ? type.name : '');
