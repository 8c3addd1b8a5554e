import { Modal, Stack, Text } from '@mantine/core';
import { ImportableList } from './importable-list.js';
import { words } from './words.js';

interface Props {
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export const ImportDialog = ({ isOpen, onClose }: Props) => (
  <Modal opened={isOpen} onClose={onClose} title={words.importTitle} size="lg">
    <Stack>
      <Text size="sm">{words.importHint}</Text>
      <ImportableList />
    </Stack>
  </Modal>
);
