import { Button, Popover, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { words } from './words.js';

/** A time or a byte to go to. `onGo` answers with what is wrong. */
export function GoTo({ onGo }: { readonly onGo: (text: string) => Promise<string | undefined> }) {
  const [isOpen, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const [error, setError] = useState<string>();
  const [isGoing, setGoing] = useState(false);
  const go = async () => {
    setGoing(true);
    const wrong = await onGo(typed);
    setGoing(false);
    setError(wrong);
    if (wrong === undefined) setOpen(false);
  };
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus withinPortal>
      <Popover.Target>
        <Button variant="default" onClick={() => setOpen(!isOpen)}>
          {words.goTo}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={words.goTo}>
        <Stack
          component="form"
          gap="sm"
          w={280}
          onSubmit={(event) => {
            event.preventDefault();
            void go();
          }}
        >
          <TextInput
            label={words.goTo}
            description={words.goToHint}
            value={typed}
            error={error}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          {isGoing && (
            <Text size="sm" role="status">
              {words.going}
            </Text>
          )}
          <Button type="submit" loading={isGoing}>
            {words.go}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
