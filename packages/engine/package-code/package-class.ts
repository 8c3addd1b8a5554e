import type { PackageOperatorClass } from 'headgate/driver-kit';
import { describeBy } from '../operators/class-description.js';
import type { DescribedClass } from './answers.js';

/** As the API lists it among the operators of a package. */
export function packageOperatorClass(described: DescribedClass): PackageOperatorClass {
  const { className, title, description, tags, properties } = described;
  const defaults = Object.entries(properties.properties ?? {}).flatMap(([name, property]) =>
    'default' in property ? [[name, property.default] as const] : [],
  );
  return {
    name: className,
    ...describeBy(properties, described),
    ...(title === '' ? {} : { title }),
    ...(description === '' ? {} : { shortDesc: description }),
    tags,
    defaultValue: Object.fromEntries(defaults),
  };
}
