import { NumberInput, Select, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { said } from '../../shell/notify.js';
import { words } from './words.js';

/** As the API takes them. */
const modes = ['ITIMER', 'CPU', 'WALL', 'ALLOC', 'LOCK'] as const;
const longest = 300;

interface Props {
  readonly appid: string;
  readonly containerId: string;
  readonly close: () => void;
}

export function NewProfile({ appid, containerId, close }: Props) {
  const form = useForm<{ mode: (typeof modes)[number]; seconds: number | string }>({
    initialValues: { mode: 'ITIMER', seconds: 30 },
  });
  const { mode, seconds } = form.values;
  const act = async () => {
    try {
      await client.startProfile({ params: { appid, containerId }, body: { mode, seconds: Number(seconds) } });
      said(words.profileBegun(containerId));
    } finally {
      // One that fails as it begins is in the list, too.
      await changed('listProfiles');
    }
  };
  return (
    <FormDialog
      title={words.startProfile}
      verb={words.begin}
      isReady={typeof seconds === 'number'}
      act={act}
      close={close}
    >
      <Text size="sm">{words.profileHint}</Text>
      <Select
        label={words.profileColumns.mode}
        allowDeselect={false}
        data-autofocus
        data={modes.map((value) => ({ value, label: words.modes[value] }))}
        {...form.getInputProps('mode')}
      />
      <NumberInput
        label={words.seconds}
        min={1}
        max={longest}
        clampBehavior="strict"
        allowDecimal={false}
        {...form.getInputProps('seconds')}
      />
    </FormDialog>
  );
}
