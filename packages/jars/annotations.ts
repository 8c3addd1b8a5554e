import { BrokenClass } from './broken-class.js';
import { type ConstantPool, dotted } from './constant-pool.js';

/** Values that are annotations themselves are left out. */
type AnnotationValue = string | number | boolean | readonly AnnotationValue[];
/** By the names of their elements; those with default values are not in class files. */
export type AnnotationValues = ReadonlyMap<string, AnnotationValue>;

const maxDepth = 16;

/** `bytes` is a `RuntimeVisibleAnnotations` attribute (JVM specification 4.7.16). By the names of the annotations' types. */
export function readAnnotations(bytes: Buffer, pool: ConstantPool): ReadonlyMap<string, AnnotationValues> {
  let at = 0;
  const next = () => {
    at += 2;
    return bytes.readUInt16BE(at - 2);
  };

  function annotation(depth: number): readonly [string, AnnotationValues] {
    if (depth > maxDepth) throw new BrokenClass('its annotations are nested too deep');
    const type = typeName(pool.text(next()));
    const values = new Map<string, AnnotationValue>();
    for (let left = next(); left > 0; left--) {
      const name = pool.text(next());
      const found = value(depth);
      if (found !== undefined) values.set(name, found);
    }
    return [type, values];
  }

  function value(depth: number): AnnotationValue | undefined {
    if (depth > maxDepth) throw new BrokenClass('its annotations are nested too deep');
    const kind = String.fromCharCode(bytes.readUInt8(at++));
    switch (kind) {
      case 's':
        return pool.text(next());
      case 'Z':
        return pool.number(next()) !== 0;
      case 'C':
        return String.fromCharCode(pool.number(next()));
      case 'c':
        return typeName(pool.text(next()));
      case 'e':
        next();
        return pool.text(next());
      case '@':
        annotation(depth + 1);
        return undefined;
      case '[':
        return list(depth + 1);
      default:
        if (!'BDFIJS'.includes(kind))
          throw new BrokenClass(`an annotation has a value of the unknown kind ${kind}`);
        return pool.number(next());
    }
  }

  function list(depth: number): AnnotationValue[] {
    const values: AnnotationValue[] = [];
    for (let left = next(); left > 0; left--) {
      const found = value(depth);
      if (found !== undefined) values.push(found);
    }
    return values;
  }

  const found = new Map<string, AnnotationValues>();
  for (let left = next(); left > 0; left--) {
    const [type, values] = annotation(0);
    found.set(type, values);
  }
  return found;
}

/** `Lcom/example/Thing;` is `com.example.Thing`. */
const typeName = (descriptor: string): string => dotted(descriptor.replace(/^L(.*);$/, '$1'));
