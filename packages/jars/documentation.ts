import type { Lineage } from './lineage.js';

/** What authors wrote about their classes. */
export interface Documentation {
  ofClass(name: string): ClassText | undefined;
  /** What the nearest class that tells something of the field tells. */
  field(lineage: Lineage, name: string): string | undefined;
  property(lineage: Lineage, methods: PropertyMethods): PropertyText;
}

export interface ClassText {
  readonly comment?: string;
  /** By tag, `@category`. */
  readonly tags: ReadonlyMap<string, string>;
  readonly fields: ReadonlyMap<string, string>;
  /** By the name of the method. */
  readonly methods: ReadonlyMap<string, MethodText>;
}

export interface MethodText {
  readonly comment?: string;
  /** `@omitFromUI`. */
  readonly isHidden: boolean;
}

interface PropertyMethods {
  readonly getter?: string | undefined;
  readonly setter?: string | undefined;
}

interface PropertyText {
  readonly description?: string;
  readonly isHidden: boolean;
}

/** `texts` by the names of classes as source code writes them, with dots for nested ones. */
export function createDocumentation(texts: ReadonlyMap<string, ClassText>): Documentation {
  const ofClass = (name: string) => texts.get(sourceName(name));
  return {
    ofClass,

    field(lineage, name) {
      for (const type of lineage.details) {
        const text = ofClass(type.name)?.fields.get(name);
        if (text !== undefined) return text;
      }
      return undefined;
    },

    /** The nearest class that tells of either method; the setter's text goes before the getter's. */
    property(lineage, { getter = '', setter = '' }) {
      for (const type of lineage.details) {
        const methods = ofClass(type.name)?.methods;
        const told = [methods?.get(setter), methods?.get(getter)].filter((text) => text !== undefined);
        const [first] = told;
        if (!first) continue;
        const isHidden = told.some((text) => text.isHidden);
        return { isHidden, ...(first.comment === undefined ? {} : { description: first.comment }) };
      }
      return { isHidden: false };
    },
  };
}

export const sourceName = (name: string): string => name.replaceAll('$', '.');
