import type { OperatorClass } from '@headgate/operators';
import { classOf, type OperatorRegistry } from '../operators/registry.js';
import type { PartitionOf } from '../protocol/protocol.js';
import { PartitionFilter, type Sink } from './stream.js';

type Properties = Readonly<Record<string, unknown>>;
type KeyOf = (tuple: unknown) => string;

/** How the tuples of this container are dealt to the partitions of their readers. */
export interface PartitionKeys {
  /** In front of `sink`: the tuples of one partition. */
  filter(sink: Sink, part: PartitionOf): Sink;
  /** The readers' properties, which say what the key is, change with a window. */
  changeFrom(window: number, reader: string, properties: Properties): void;
}

export function createPartitionKeys(registry: OperatorRegistry<OperatorClass>): PartitionKeys {
  const made: { readonly part: PartitionOf; readonly filter: PartitionFilter }[] = [];

  function keyOf({ className, port }: PartitionOf, properties: Properties): KeyOf {
    const type = classOf(className, registry);
    return type.inputs[port]?.partitionKey?.(type.properties.parse(properties)) ?? asText;
  }

  return {
    filter(sink, part) {
      const filter = new PartitionFilter(sink, { ...part, key: keyOf(part, part.properties) });
      made.push({ part, filter });
      return filter;
    },
    changeFrom(window, reader, properties) {
      for (const { part, filter } of made)
        if (part.reader === reader) filter.keyFrom(window, keyOf(part, properties));
    },
  };
}

const asText: KeyOf = (tuple) => JSON.stringify(tuple) ?? '';
