/** How much of the jars of a package is looked at. What is beyond is left out and named. */
export interface JarLimits {
  /** Default 1,000. */
  readonly maxJars: number;
  /** Bytes of a jar, which is in memory while it is read. Default 64 MiB. One that lies in its package uncompressed may have more. */
  readonly maxJarBytes: number;
  /** Of all jars together. Default 100,000. */
  readonly maxClasses: number;
  /** Bytes of a class file. Default 512 KiB: a larger one is made by machines, and nobody's operator. */
  readonly maxClassBytes: number;
  /** Bytes of all class files together, inflated. Default 512 MiB. */
  readonly maxInflatedBytes: number;
  /** Bytes of a `-javadoc.xml`. Default 16 MiB. */
  readonly maxJavadocBytes: number;
  /** Classes with a `main`. Default 100: a jar with all its libraries in it has many that are nobody's job. */
  readonly maxPrograms: number;
  /** Default 2,000. */
  readonly maxOperators: number;
  /** Ports and properties of all operators together, and properties of all types together. Default 10,000. */
  readonly maxMembers: number;
  /** Types of properties that are told in detail. Default 2,000. */
  readonly maxTypes: number;
  /** Characters of all texts about classes together; what is more is left out. Default 1,048,576. */
  readonly maxTextLength: number;
  /** Default 100; one more says how many there are. */
  readonly maxProblems: number;
}

const mebi = 1024 ** 2;

export const defaultJarLimits: JarLimits = {
  maxJars: 1_000,
  maxJarBytes: 64 * mebi,
  maxClasses: 100_000,
  maxClassBytes: mebi / 2,
  maxInflatedBytes: 512 * mebi,
  maxJavadocBytes: 16 * mebi,
  maxPrograms: 100,
  maxOperators: 2_000,
  maxMembers: 10_000,
  maxTypes: 2_000,
  maxTextLength: mebi,
  maxProblems: 100,
};
