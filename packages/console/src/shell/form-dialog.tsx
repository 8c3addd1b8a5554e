import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { Failure } from './failure.js';
import { useWork } from './use-work.js';
import { words } from './words.js';

/** A form in a dialog: it stays and shows the error where `act` rejects, and closes when it resolves. */
export function FormDialog({
  title,
  verb,
  size,
  isReady = true,
  act,
  close,
  done = close,
  children,
}: {
  readonly title: string;
  /** On the button. */
  readonly verb: string;
  readonly size?: string;
  readonly isReady?: boolean;
  readonly act: () => Promise<unknown>;
  readonly close: () => void;
  /** After `act`; default: it closes. */
  readonly done?: () => void;
  readonly children: ReactNode;
}) {
  const { isWorking, error, run } = useWork();
  const submit = async () => {
    if (await run(act)) done();
  };
  return (
    <Modal opened onClose={close} title={title} {...(size === undefined ? {} : { size })}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) void submit();
        }}
      >
        <Stack>
          {children}
          {error && <Failure error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {words.cancel}
            </Button>
            <Button type="submit" loading={isWorking} disabled={!isReady}>
              {verb}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
