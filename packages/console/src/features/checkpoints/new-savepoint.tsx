import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { said } from '../../shell/notify.js';
import { words } from './words.js';

/** Both may be left to the cluster. */
export function NewSavepoint({ appid, close }: { readonly appid: string; readonly close: () => void }) {
  const form = useForm<{ directory: string; format: keyof typeof words.formats }>({
    initialValues: { directory: '', format: '' },
  });
  const { directory, format } = form.values;
  const act = async () => {
    await client.startSavepoint({
      params: { appid },
      body: {
        ...(directory.trim() === '' ? {} : { targetDirectory: directory.trim() }),
        ...(format === '' ? {} : { formatType: format }),
      },
    });
    said(words.ordered);
    await changed('listSavepoints', 'getCheckpoints');
  };
  return (
    <FormDialog title={words.order} verb={words.make} act={act} close={close}>
      <TextInput
        label={words.directory}
        description={words.directoryHint}
        data-autofocus
        {...form.getInputProps('directory')}
      />
      <Select
        label={words.format}
        allowDeselect={false}
        data={Object.entries(words.formats).map(([value, label]) => ({ value, label }))}
        {...form.getInputProps('format')}
      />
    </FormDialog>
  );
}
