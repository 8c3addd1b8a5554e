import { Accordion, Button, Stack } from '@mantine/core';
import type { Chosen } from '../selection.js';
import { words } from '../words.js';
import { Connect } from './connect.js';
import { SetProperty } from './set-property.js';
import type { Editing } from './use-editing.js';

/** What may be done to the thing that is selected; each act is a step of the batch and nothing more. */
export function EditSelected({
  id,
  chosen,
  editing,
}: {
  readonly id: string;
  readonly chosen: Chosen;
  readonly editing: Editing;
}) {
  const { plan } = editing.applied;
  if (chosen.kind === 'stream') {
    if (!plan.streams.some(({ name }) => name === chosen.name)) return null;
    const remove = () => editing.add({ requestType: 'RemoveStreamRequest', streamName: chosen.name });
    return (
      <Button size="compact-sm" variant="default" onClick={remove}>
        {words.removeStream}
      </Button>
    );
  }
  const name = (chosen.member ?? chosen.node.members[0])?.name;
  const isOne = chosen.member !== undefined || chosen.node.members.length === 1;
  if (!isOne || name === undefined || !plan.operators.some((one) => one.name === name)) return null;
  return (
    <Stack gap="xs">
      <Accordion variant="contained" order={3}>
        <Accordion.Item value="connect">
          <Accordion.Control>{words.connect}</Accordion.Control>
          <Accordion.Panel>
            <Connect id={id} from={name} to={undefined} editing={editing} />
          </Accordion.Panel>
        </Accordion.Item>
        <Accordion.Item value="property">
          <Accordion.Control>{words.setProperty}</Accordion.Control>
          <Accordion.Panel>
            <SetProperty id={id} name={name} editing={editing} />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
      <Button
        size="compact-sm"
        variant="default"
        onClick={() => editing.add({ requestType: 'RemoveOperatorRequest', operatorName: name })}
      >
        {words.removeOperator}
      </Button>
    </Stack>
  );
}
