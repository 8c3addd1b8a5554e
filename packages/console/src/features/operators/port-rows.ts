interface Port {
  readonly name: string;
  readonly type: 'input' | 'output';
  readonly totalTuples?: number | undefined;
  readonly tuplesPSMA?: number | undefined;
  readonly bufferServerBytesPSMA?: number | undefined;
  readonly queueSizeMA?: number | undefined;
}

/** Ports of the same name, summed up over partitions; inputs first. */
export function portsOf(partitions: readonly { readonly ports: readonly Port[] }[]): readonly Port[] {
  const ports = new Map<string, Port>();
  for (const port of partitions.flatMap((one) => one.ports)) {
    const before = ports.get(`${port.type} ${port.name}`);
    ports.set(`${port.type} ${port.name}`, before ? sum(before, port) : port);
  }
  return [...ports.values()].sort((a, b) => rank(a) - rank(b));
}

const rank = ({ type }: Port): number => (type === 'input' ? 0 : 1);

const sum = (a: Port, b: Port): Port => ({
  ...a,
  totalTuples: summed(a.totalTuples, b.totalTuples),
  tuplesPSMA: summed(a.tuplesPSMA, b.tuplesPSMA),
  bufferServerBytesPSMA: summed(a.bufferServerBytesPSMA, b.bufferServerBytesPSMA),
  queueSizeMA:
    a.queueSizeMA === undefined && b.queueSizeMA === undefined
      ? undefined
      : (a.queueSizeMA ?? 0) + (b.queueSizeMA ?? 0),
});

/** Not known as soon as one of them is not. */
const summed = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;
