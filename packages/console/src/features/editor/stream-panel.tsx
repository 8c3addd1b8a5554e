import { Button, Select, Stack, Text, Title } from '@mantine/core';
import { disconnect, setLocality } from './changes.js';
import type { Stream } from './definition.js';
import type { PanelProps } from './panel-props.js';
import { SinkLine } from './sink-line.js';
import { words } from './words.js';

const localities = ['THREAD_LOCAL', 'CONTAINER_LOCAL', 'NODE_LOCAL', 'RACK_LOCAL'];

export function StreamPanel({ stream, change, select }: PanelProps & { readonly stream: Stream }) {
  const { name, source, sinks, locality } = stream;
  return (
    <Stack gap="sm">
      <div>
        <Title order={2}>{words.stream}</Title>
        <Text size="sm" className="soft" style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
      </div>
      <Text size="sm">{words.fromPort(source.operatorName, source.portName)}</Text>
      {sinks.map((sink) => (
        <SinkLine
          key={JSON.stringify(sink)}
          sink={sink}
          onRemove={change && (() => change((now) => disconnect(now, sink)))}
        />
      ))}
      <Select
        label={words.locality}
        placeholder={words.byEngine}
        data={localities}
        value={locality ?? null}
        readOnly={change === undefined}
        clearable
        onChange={(value) => change?.((now) => setLocality(now, name, value ?? undefined))}
      />
      {change && (
        <Button
          variant="default"
          onClick={() => {
            change((now) => sinks.reduce(disconnect, now));
            select(undefined);
          }}
        >
          {words.remove}
        </Button>
      )}
    </Stack>
  );
}
