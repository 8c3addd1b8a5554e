import { Accordion, Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { both, type May, unless } from '../../../gateway/capabilities.js';
import { Do } from '../../../shell/do.js';
import { Failure } from '../../../shell/failure.js';
import { confirm } from '../../../shell/question.js';
import type { PlanDraft } from '../plan-draft.js';
import { words } from '../words.js';
import { AddOperator } from './add-operator.js';
import { Connect } from './connect.js';
import { Meanwhile } from './meanwhile.js';
import { Steps } from './steps.js';
import type { Editing } from './use-editing.js';
import { useSending } from './use-sending.js';

/** The batch before it is sent: in words, as JSON, each step to be undone. */
export function EditDrawer({
  id,
  editing,
  draft,
}: {
  readonly id: string;
  readonly editing: Editing;
  readonly draft: PlanDraft;
}) {
  const { requests } = draft;
  const { obstacles } = editing.applied;
  const sending = useSending(id, editing, draft);
  const may: May = both(
    editing.may,
    unless(requests.length === 0, words.nothingToSend),
    unless(obstacles.some(Boolean), words.stepStuck),
  );
  const leave = () => {
    if (requests.length === 0) editing.end();
    else
      confirm({
        title: words.leaveTitle,
        text: words.leaveText(requests.length),
        verb: words.leave,
        act: async () => editing.end(),
      });
  };
  return (
    <section className="panel" aria-label={words.drawer}>
      <Stack gap="sm">
        <Title order={2}>{words.drawer}</Title>
        {requests.length === 0 ? (
          <Text size="sm" className="soft">
            {words.noChanges}
          </Text>
        ) : (
          <Steps
            requests={requests}
            obstacles={obstacles}
            refusals={sending.refusals}
            onUndo={editing.undo}
          />
        )}
        {editing.joining && (
          <Connect
            key={JSON.stringify(editing.joining)}
            id={id}
            from={editing.joining.from}
            to={editing.joining.to}
            editing={editing}
          />
        )}
        <Accordion variant="contained" order={3}>
          <Accordion.Item value="add">
            <Accordion.Control>{words.addOperator}</Accordion.Control>
            <Accordion.Panel>
              <AddOperator id={id} editing={editing} />
            </Accordion.Panel>
          </Accordion.Item>
          <Accordion.Item value="json">
            <Accordion.Control>{words.json}</Accordion.Control>
            <Accordion.Panel>
              <Code block>{JSON.stringify({ requests }, null, 2)}</Code>
            </Accordion.Panel>
          </Accordion.Item>
        </Accordion>
        {sending.error && <Failure what={words.refused} error={sending.error} />}
        {sending.meanwhile && <Meanwhile difference={sending.meanwhile} onRebase={sending.rebase} />}
        <Group justify="space-between">
          <Button size="sm" variant="subtle" color="gray" c="var(--mantine-color-text)" onClick={leave}>
            {words.leave}
          </Button>
          <Do may={may} size="sm" variant="filled" loading={sending.isSending} onClick={sending.send}>
            {words.send(requests.length)}
          </Do>
        </Group>
      </Stack>
    </section>
  );
}
