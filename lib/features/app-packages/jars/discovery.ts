import type { PackageOperatorClass, PackageOperators, PackageProblem } from '../../../interfaces/package.js';
import type { PropertyDescription } from '../../logical-plan/schema.js';

/** What the jars of a package hold, found out without a JVM. Plain data: it is kept beside the package by its digest. */
export interface JarContents extends PackageOperators {
  /** In the order of jars and of their entries. */
  readonly applications: readonly ClassApplication[];
  readonly classes: readonly JarOperatorClass[];
  /** Classes and interfaces that operators descend from, as `parent` may name them. */
  readonly operatorTypes: readonly string[];
  /** Types of the operators' properties, and of theirs, by their names. */
  readonly types: Readonly<Record<string, ValueType>>;
  /** Files that were not read, or not whole. */
  readonly problems: readonly PackageProblem[];
}

/** A class of a jar in `app/` that makes an application (engine: `StreamingApplication`). */
export interface ClassApplication {
  /** That of its annotation, else the path of the class: `com/example/App.class`. */
  readonly name: string;
  readonly displayName: string;
  readonly className: string;
  /** The jar, without its folder. */
  readonly file: string;
  /** It can't be launched as it is. */
  readonly error?: string;
}

export interface JarOperatorClass extends PackageOperatorClass {
  /** Classes and interfaces that it descends from. */
  readonly ancestors: readonly string[];
  /** Of the package. */
  readonly jar: string;
}

/** A class, an interface or an enumeration that values of properties have. */
export interface ValueType {
  readonly kind: 'bean' | 'interface' | 'enum';
  /** Of an enumeration. */
  readonly values?: readonly string[];
  readonly properties: readonly PropertyDescription[];
}
