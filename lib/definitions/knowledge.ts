import type * as z from 'zod';

/** What can be known of the names in a definition before anything runs. */
export interface DefinitionKnowledge {
  /** `undefined` when nothing is known of the class. */
  classOf(className: string): KnownClass | undefined;
  /** What is wrong with naming a class of which nothing is known; `undefined` when it may be there nevertheless. */
  unknownClass(className: string): string | undefined;
  /** Absent: attributes are somebody else's to check. */
  readonly attributes?: AttributeCatalogues;
}

export interface KnownClass {
  readonly inputs: readonly KnownPort[];
  readonly outputs: readonly KnownPort[];
  /** Names of properties that can be set; absent: they are somebody else's to check. */
  readonly properties?: ReadonlySet<string>;
  /** It emits a tuple one window later, so a circle through it is none. Absent: nobody knows. */
  readonly delays?: boolean;
}

interface KnownPort {
  readonly name: string;
  /** Whether it may be left unconnected. */
  readonly optional: boolean;
}

/** Attribute name to what it takes. */
export type AttributeCatalogue = Readonly<Record<string, z.ZodType>>;

export interface AttributeCatalogues {
  readonly application: AttributeCatalogue;
  readonly operator: AttributeCatalogue;
  readonly port: AttributeCatalogue;
}
