import { Group, Select, Stack, Text, Title } from '@mantine/core';
import { connect, disconnect } from './changes.js';
import { type End, isSameEnd, type Operator, operatorsIn, streamsIn } from './definition.js';
import type { PanelProps } from './panel-props.js';
import { joinRefusal, type Port } from './port-types.js';
import { SinkLine } from './sink-line.js';
import { words } from './words.js';

type Props = Omit<PanelProps, 'packageProperties'> & { readonly operator: Operator };

/** The ports of an operator and where they lead: joins without a mouse. */
export function Joins(props: Props) {
  const { operator, classes, definition } = props;
  const ports = classes.portsOf(operator.name);
  if (!ports) return null;
  const feeding = (port: Port) =>
    streamsIn(definition).find(({ sinks }) =>
      sinks.some((sink) => isSameEnd(sink, { operatorName: operator.name, portName: port.name })),
    );
  return (
    <Stack gap="xs">
      {ports.inputPorts.length > 0 && (
        <Title order={3} fz="md">
          {words.inputs}
        </Title>
      )}
      {ports.inputPorts.map((port) => {
        const stream = feeding(port);
        return (
          <Group key={port.name} gap="sm" justify="space-between" wrap="nowrap">
            <Text size="sm">{words.portType(port.name, port.type ?? 'any')}</Text>
            <Text size="sm" className="soft">
              {stream ? words.fromPort(stream.source.operatorName, stream.source.portName) : words.notJoined}
            </Text>
          </Group>
        );
      })}
      {ports.outputPorts.length > 0 && (
        <Title order={3} fz="md">
          {words.outputs}
        </Title>
      )}
      {ports.outputPorts.map((port) => (
        <Output key={port.name} {...props} port={port} />
      ))}
    </Stack>
  );
}

function Output({ operator, port, definition, classes, change }: Props & { readonly port: Port }) {
  const source: End = { operatorName: operator.name, portName: port.name };
  const stream = streamsIn(definition).find((one) => isSameEnd(one.source, source));
  const free = operatorsIn(definition).flatMap(({ name }) =>
    (classes.portsOf(name)?.inputPorts ?? [])
      .map((input): End => ({ operatorName: name, portName: input.name }))
      .filter((sink) => joinRefusal(definition, classes.portsOf, source, sink) === undefined),
  );
  return (
    <Stack gap={2}>
      <Text size="sm">{words.portType(port.name, port.type ?? 'any')}</Text>
      {stream?.sinks.map((sink) => (
        <SinkLine
          key={JSON.stringify(sink)}
          sink={sink}
          onRemove={change && (() => change((now) => disconnect(now, sink)))}
        />
      ))}
      {change && (
        <Select
          size="xs"
          aria-label={words.leadsTo(port.name)}
          placeholder={words.chooseInput}
          data={free.map((sink) => ({
            value: JSON.stringify(sink),
            label: words.fromPort(sink.operatorName, sink.portName),
          }))}
          value={null}
          searchable
          onChange={(value) => {
            const sink = free.find((one) => JSON.stringify(one) === value);
            if (sink) change((now) => connect(now, source, sink));
          }}
        />
      )}
    </Stack>
  );
}
