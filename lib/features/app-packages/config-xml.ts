import { decodeXml, defaultXmlLimits, readHadoopXml, type XmlLimits } from '../../formats/hadoop-xml.js';

export { defaultXmlLimits, type XmlLimits } from '../../formats/hadoop-xml.js';

/** One property of a Hadoop-style configuration. */
export interface ConfigProperty {
  readonly name: string;
  /** Absent: whoever launches must give one. An empty one is a value. */
  readonly value?: string;
  readonly description?: string;
}

/**
 * The properties in their order; of one that is there twice the last counts. `file` names it in messages. Rejects with
 * `BadRequest` as `readHadoopXml` does.
 */
export async function parseConfiguration(
  bytes: Buffer,
  file: string,
  limits: Partial<XmlLimits> = {},
): Promise<ConfigProperty[]> {
  const text = decodeXml(bytes, file, limits.maxBytes ?? defaultXmlLimits.maxBytes);
  const properties = new Map<string, ConfigProperty>();
  for (const { name, value, description } of (await readHadoopXml(text, file, limits)).properties) {
    properties.delete(name);
    properties.set(name, {
      name,
      ...(value === undefined ? {} : { value }),
      // Descriptions of attributes are the engine's own, so they are not kept (engine: DTConfiguration).
      ...(description === undefined || name.includes('.attr.') ? {} : { description }),
    });
  }
  return [...properties.values()];
}

/** What must be given at launch, and what is set without. By name. */
export interface PropertySets {
  readonly required: ReadonlyMap<string, ConfigProperty>;
  readonly defaults: ReadonlyMap<string, ConfigProperty>;
}

/** The layers of `META-INF/properties.xml` and then of `properties-{application}.xml`: later ones win. */
export function propertySets(...layers: readonly (readonly ConfigProperty[])[]): PropertySets {
  const required = new Map<string, ConfigProperty>();
  const defaults = new Map<string, ConfigProperty>();
  for (const property of layers.flat()) {
    if (property.value === undefined) required.set(property.name, property);
    else {
      required.delete(property.name);
      defaults.set(property.name, property);
    }
  }
  return { required, defaults };
}
