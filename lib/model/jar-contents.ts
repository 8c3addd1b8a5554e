import * as z from 'zod';
import { OperatorClassDesc, PropertyDescription } from './logical-plan.js';

// What the jars of a package hold, found out without a JVM. Plain data: it is kept beside the package.

/** A class of a jar in `app/` that makes an application (engine: `StreamingApplication`). */
export const ClassApplication = z.object({
  /** That of its annotation, else the path of the class: `com/example/App.class`. */
  name: z.string(),
  displayName: z.string(),
  className: z.string(),
  /** The jar, without its folder. */
  file: z.string(),
  /** It can't be launched as it is. */
  error: z.string().exactOptional(),
});
export type ClassApplication = z.output<typeof ClassApplication>;

export const JarOperatorClass = OperatorClassDesc.extend({
  name: z.string(),
  title: z.string(),
  shortDesc: z.string().exactOptional(),
  longDesc: z.string().exactOptional(),
  category: z.string().exactOptional(),
  doclink: z.string().exactOptional(),
  tags: z.array(z.string()).exactOptional(),
  /** Of properties, as far as it could be found out. */
  defaultValue: z.record(z.string(), z.unknown()).exactOptional(),
  /** Classes and interfaces that it descends from. */
  ancestors: z.array(z.string()),
  /** Of the package; absent for those that the engine brings along. */
  jar: z.string().exactOptional(),
});
export type JarOperatorClass = z.output<typeof JarOperatorClass>;

/** A class, an interface or an enumeration that values of properties have. */
export const ValueType = z.object({
  kind: z.enum(['bean', 'interface', 'enum']),
  /** Of an enumeration. */
  values: z.array(z.string()).exactOptional(),
  properties: z.array(PropertyDescription),
});
export type ValueType = z.output<typeof ValueType>;

export const JarContents = z.object({
  /** In the order of jars and names. */
  applications: z.array(ClassApplication),
  /** Operators, in the order of names. */
  classes: z.array(JarOperatorClass),
  /** Classes and interfaces that operators descend from, as `parent` may name them. */
  operatorTypes: z.array(z.string()),
  /** Types of the operators' properties, and of theirs, by their names. */
  types: z.record(z.string(), ValueType),
  /** Files that were not read, or not whole. */
  problems: z.array(z.object({ file: z.string(), message: z.string() })),
});
export type JarContents = z.output<typeof JarContents>;
