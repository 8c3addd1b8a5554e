import type { PackageOperatorClass } from '../../../../lib/index.js';
import { describeClass } from '../views/class-description.js';
import type { DescribedClass } from './answers.js';
import { describedType } from './described-type.js';

/** As the API lists it (spec 2.7). */
export function packageOperatorClass(described: DescribedClass): PackageOperatorClass {
  const { className, title, description, tags, properties } = described;
  const defaults = Object.entries(properties.properties ?? {}).flatMap(([name, property]) =>
    'default' in property ? [[name, property.default] as const] : [],
  );
  return {
    name: className,
    ...describeClass(describedType(described)),
    ...(title === '' ? {} : { title }),
    ...(description === '' ? {} : { shortDesc: description }),
    tags,
    defaultValue: Object.fromEntries(defaults),
  };
}
