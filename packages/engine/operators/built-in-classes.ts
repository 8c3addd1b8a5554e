import type { OperatorType } from '@headgate/operators';
import type { PackageOperatorClass } from 'headgate/driver-kit';
import { describeBy, propertySchema } from './class-description.js';

/** An operator that applications of every package can have: one of the engine, or of its host. */
export function builtInClass(type: OperatorType): PackageOperatorClass {
  const schema = propertySchema(type);
  const defaults = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    'default' in property ? [[name, property.default] as const] : [],
  );
  return {
    name: type.className,
    ...describeBy(schema, type),
    ...(type.title === '' ? {} : { title: type.title }),
    ...(type.description === '' ? {} : { shortDesc: type.description }),
    tags: type.tags,
    defaultValue: Object.fromEntries(defaults),
  };
}
