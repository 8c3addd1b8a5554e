import type { ClassFile, Member } from './class-file.js';
import { engineTypes } from './engine-types.js';
import { type JavaType, parseClassSignature } from './signatures.js';

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
  const [name = '', flags = '', signature = '', ...rest] = line.split(' ');
  const { superclass, interfaces } = parseClassSignature(signature);
  const isValue = (text: string) => text.startsWith('=');
  return {
    name,
    flags: Number.parseInt(flags, 16),
    superName: classNameOf(superclass),
    interfaces: interfaces.map(classNameOf),
    signature,
    annotations: none,
    fields: rest.filter(isValue).map((value) => ({
      name: value.slice(1),
      flags: flagsOfValues,
      descriptor: `L${name};`,
      signature: undefined,
      annotations: none,
    })),
    methods: rest.filter((text) => !isValue(text)).map(method),
  };
}

const flagsOfValues = 0x4019;
const publicFlag = 0x0001;

function method(text: string): Member {
  const [, name = '', signature = ''] = /^([^(<]+)(.*)$/.exec(text) ?? [];
  return { name, flags: publicFlag, descriptor: signature, signature, annotations: none };
}

const classNameOf = (type: JavaType): string => (type.kind === 'class' ? type.name : '');
