import { Checkbox, Select, TagsInput, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { FormDialog } from '../../shell/form-dialog.js';
import { said } from '../../shell/notify.js';
import type { Service } from './actions.js';
import { emptyForm, type FormValues, formOf, inputOf, problemsOf } from './form-values.js';
import { words } from './words.js';

const { form: labels } = words;

const kinds = [
  { value: 'container', label: words.kinds.container },
  { value: 'engine', label: words.kinds.engine },
];

/** Creates a service, or changes the one that is given. */
export function ServiceForm({ service, close }: { readonly service?: Service; readonly close: () => void }) {
  const { data } = useQuery(read('listServices', {}));
  const form = useForm<FormValues>({
    initialValues: service ? formOf(service) : emptyForm,
    validate: (values) => problemsOf(values),
  });
  const { name, type } = form.values;
  const act = async () => {
    if (form.validate().hasErrors) throw new Error(Object.values(problemsOf(form.values)).join('. '));
    const body = inputOf(form.values, service);
    if (service) await client.changeService({ params: { name }, body });
    else await client.putService({ params: { name }, body });
    said(service ? words.saved(name) : words.created(name));
    await changed('listServices', 'getService');
  };
  const others = (data?.services ?? []).map((one) => one.name).filter((one) => one !== name);
  return (
    <FormDialog
      title={service ? labels.changeTitle(service.name) : labels.createTitle}
      verb={service ? labels.save : labels.create}
      size="lg"
      act={act}
      close={close}
    >
      {!service && (
        <>
          <TextInput
            label={labels.name}
            description={labels.nameHint}
            required
            data-autofocus
            {...form.getInputProps('name')}
          />
          <Select label={labels.kind} data={kinds} allowDeselect={false} {...form.getInputProps('type')} />
        </>
      )}
      {type === 'container' ? (
        <>
          <TextInput
            label={labels.run}
            description={labels.runHint}
            required
            {...form.getInputProps('run')}
          />
          <TextInput label={labels.exec} description={labels.execHint} {...form.getInputProps('exec')} />
          <TextInput
            label={labels.source}
            description={labels.sourceContainer}
            {...form.getInputProps('srcUrl')}
          />
        </>
      ) : (
        <>
          <TextInput
            label={labels.source}
            description={labels.sourceEngine}
            required
            {...form.getInputProps('srcUrl')}
          />
          <TextInput label={labels.appName} required {...form.getInputProps('appName')} />
          <Textarea
            label={labels.launchArgs}
            description={labels.linesHint}
            autosize
            minRows={2}
            {...form.getInputProps('launchArgs')}
          />
        </>
      )}
      <TextInput label={labels.address} description={labels.addressHint} {...form.getInputProps('address')} />
      <Checkbox
        label={labels.followRedirect}
        {...form.getInputProps('followRedirect', { type: 'checkbox' })}
      />
      <TagsInput
        label={labels.required}
        description={labels.requiredHint}
        data={others}
        {...form.getInputProps('requiredServices')}
      />
      <Textarea
        label={labels.metadata}
        description={labels.linesHint}
        autosize
        minRows={2}
        {...form.getInputProps('metadata')}
      />
      <TextInput label={labels.description} {...form.getInputProps('description')} />
      <Checkbox label={labels.enabled} {...form.getInputProps('enabled', { type: 'checkbox' })} />
    </FormDialog>
  );
}
