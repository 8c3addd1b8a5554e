import { Button, Checkbox, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useStore } from '../gateway/store.js';
import { Failure } from './failure.js';
import { asked, type Question } from './question.js';
import { words } from './words.js';

/** Once on the page. */
export function Confirmations() {
  const question = useStore(asked);
  return (
    <Modal opened={question !== undefined} onClose={() => asked.set(undefined)} title={question?.title}>
      {question && <Asked key={question.title} question={question} />}
    </Modal>
  );
}

function Asked({ question }: { readonly question: Question }) {
  const { text, effects = [], verb, isDangerous = false, typed, choice, act } = question;
  const [answer, setAnswer] = useState('');
  const [isChosen, setChosen] = useState(false);
  const [isActing, setActing] = useState(false);
  const [error, setError] = useState<Error>();
  const close = () => asked.set(undefined);
  const run = async () => {
    setActing(true);
    setError(undefined);
    try {
      await act(isChosen);
      close();
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      setActing(false);
    }
  };
  const isReady = typed === undefined || answer === typed;
  return (
    <Stack
      component="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void run();
      }}
    >
      {text && <Text size="sm">{text}</Text>}
      {effects.length > 0 && (
        <>
          <Text size="sm" fw={600}>
            {words.effects}
          </Text>
          <List size="sm">
            {effects.map((effect) => (
              <List.Item key={effect}>{effect}</List.Item>
            ))}
          </List>
        </>
      )}
      {choice && (
        <Checkbox
          label={choice.label}
          description={choice.hint}
          checked={isChosen}
          onChange={({ currentTarget }) => setChosen(currentTarget.checked)}
        />
      )}
      {typed !== undefined && (
        <TextInput
          label={words.typeName(typed)}
          value={answer}
          onChange={({ currentTarget }) => setAnswer(currentTarget.value)}
          autoComplete="off"
        />
      )}
      {error && <Failure error={error} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close} data-autofocus>
          {words.cancel}
        </Button>
        <Button
          type="submit"
          loading={isActing}
          disabled={!isReady}
          {...(isDangerous ? { color: 'red' } : {})}
        >
          {verb}
        </Button>
      </Group>
    </Stack>
  );
}
