import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { connection, freeInputs, outputsOf } from '../plan-ports.js';
import { words } from '../words.js';
import { useClass } from './use-classes.js';
import type { Editing } from './use-editing.js';

interface Props {
  readonly id: string;
  readonly from: string;
  readonly to: string | undefined;
  readonly editing: Editing;
}

/** From an output of one operator to a free input of another: a new stream, or one more reader of the one that is there. */
export function Connect({ id, from, to: first, editing }: Props) {
  const { plan } = editing.applied;
  const [to, setTo] = useState<string | null>(first ?? null);
  const [output, setOutput] = useState<string | null>(null);
  const [input, setInput] = useState<string | null>(null);
  const classOf = (name: string | null) => plan.operators.find((one) => one.name === name)?.class;
  const outputs = outputsOf(plan, from, useClass(id, classOf(from)));
  const sinkClass = useClass(id, classOf(to));
  const inputs = to === null ? [] : freeInputs(plan, to, sinkClass);
  const chosenOutput = output ?? outputs[0] ?? null;
  const chosenInput = input ?? inputs[0] ?? null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (to === null || chosenOutput === null || chosenInput === null) return;
        editing.add(
          connection(
            plan,
            { operatorName: from, portName: chosenOutput },
            { operatorName: to, portName: chosenInput },
          ),
        );
        setTo(null);
        setInput(null);
      }}
    >
      <Stack gap="xs">
        <Select
          label={words.to}
          size="xs"
          required
          searchable
          limit={50}
          data={plan.operators.map(({ name }) => name).filter((name) => name !== from)}
          value={to}
          onChange={(next) => {
            setTo(next);
            setInput(null);
          }}
        />
        <Group grow gap="xs">
          <Select
            label={words.sourcePort}
            size="xs"
            required
            data={outputs}
            value={chosenOutput}
            onChange={setOutput}
          />
          <Select
            label={words.sinkPort}
            size="xs"
            required
            data={inputs}
            value={chosenInput}
            onChange={setInput}
          />
        </Group>
        <Text size="xs" className="soft">
          {words.connectHint}
        </Text>
        <Group justify="flex-end">
          <Button type="submit" size="compact-sm" variant="default">
            {words.connect}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
