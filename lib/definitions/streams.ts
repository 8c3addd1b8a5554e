import type { ApplicationDefinition } from '../model/logical-plan.js';
import { Locality } from '../model/physical-plan.js';
import type { KnownClass } from './knowledge.js';
import type { Problems } from './problems.js';

type Streams = ApplicationDefinition['streams'];
type End = Streams[number]['source'];

/** Names, both ends of each stream, and that no port is used twice. `classes`: by the operators that there are. */
export function checkStreams(
  streams: Streams,
  classes: ReadonlyMap<string, KnownClass | undefined>,
  checkName: (name: string, path: string, problems: Problems) => void,
  problems: Problems,
): void {
  const names = new Set<string>();
  const sources = new Map<string, string>();
  const sinks = new Map<string, string>();
  for (const [index, stream] of streams.entries()) {
    const place = `streams.${index}`;
    const name = streamName(stream, index);
    checkName(name, `${place}.name`, problems);
    if (names.has(name)) problems.add(`${place}.name`, `there is another stream ${JSON.stringify(name)}`);
    names.add(name);
    if (stream.locality != null && !Locality.safeParse(stream.locality).success)
      problems.add(
        `${place}.locality`,
        `there is no locality ${JSON.stringify(stream.locality)}; there are ${Locality.options.join(', ')}`,
      );
    checkEnd(stream.source, 'output', classes, `${place}.source`, problems);
    claim(sources, stream.source, name, 'output', `${place}.source`, problems);
    if (stream.sinks.length === 0) problems.add(`${place}.sinks`, 'a stream needs at least one sink');
    for (const [sinkIndex, sink] of stream.sinks.entries()) {
      const where = `${place}.sinks.${sinkIndex}`;
      checkEnd(sink, 'input', classes, where, problems);
      claim(sinks, sink, name, 'input', where, problems);
    }
  }
}

/** The engine's name for a stream without one. */
export const streamName = ({ name }: { name?: string | undefined }, index: number): string =>
  name ?? `stream-${index}`;

function checkEnd(
  end: End,
  kind: 'input' | 'output',
  classes: ReadonlyMap<string, KnownClass | undefined>,
  place: string,
  problems: Problems,
): void {
  if (!classes.has(end.operatorName)) {
    problems.add(`${place}.operatorName`, `there is no operator ${JSON.stringify(end.operatorName)}`);
    return;
  }
  const known = classes.get(end.operatorName);
  const ports = kind === 'input' ? known?.inputs : known?.outputs;
  if (!ports || ports.some(({ name }) => name === end.portName)) return;
  problems.add(`${place}.portName`, () => {
    const has = ports.map(({ name }) => name).join(', ') || 'none';
    return `${end.operatorName} has no ${kind} port ${JSON.stringify(end.portName)}; it has ${has}`;
  });
}

/** Two streams from one port, or into one, would be two answers to where its tuples go. */
function claim(
  taken: Map<string, string>,
  { operatorName, portName }: End,
  stream: string,
  kind: string,
  place: string,
  problems: Problems,
): void {
  const port = `${operatorName}.${portName}`;
  const other = taken.get(port);
  if (other !== undefined)
    problems.add(place, `the ${kind} port ${port} already belongs to the stream ${JSON.stringify(other)}`);
  taken.set(port, stream);
}
