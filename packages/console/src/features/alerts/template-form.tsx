import { Button, Group, Input, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Code } from '../../forms/code.js';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { useDraft } from '../../shell/draft.js';
import { Failure } from '../../shell/failure.js';
import { said } from '../../shell/notify.js';
import { TemplateParameters } from './template-parameters.js';
import type { Parameter } from './template-values.js';
import { words } from './words.js';

interface Template {
  readonly name: string;
  readonly description: string;
  readonly script: string;
  readonly parameters: readonly Parameter[];
}

const noTemplate: Template = { name: '', description: '', script: '', parameters: [] };

/** A template being changed, or made. What does not fit the gateway says when it is saved. */
export function TemplateForm({ kept }: { readonly kept: Template | undefined }) {
  const { draft, setDraft, discard } = useDraft<Template>(`alert template ${kept?.name ?? ''}`);
  const may = useMay();
  const navigate = useNavigate({ from: '/alerts/templates' });
  const { name, description, script, parameters } = draft ?? kept ?? noTemplate;
  const change = (part: Partial<Template>) => setDraft({ name, description, script, parameters, ...part });
  const leave = () => {
    discard();
    return navigate({ search: {} });
  };
  const saving = useMutation({
    mutationFn: async () => {
      await client.putAlertTemplate({
        params: { name },
        body: { description, script, parameters: [...parameters] },
      });
      said(words.templateSaved(name));
      await changed('listAlertTemplates');
      await leave();
    },
  });
  return (
    <Stack gap="md" maw={800}>
      {!kept && (
        <TextInput
          label={words.name}
          value={name}
          maxLength={128}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
      )}
      <Textarea
        label={words.templateDescription}
        value={description}
        maxLength={2000}
        autosize
        minRows={2}
        onChange={({ currentTarget }) => change({ description: currentTarget.value })}
      />
      <div>
        <Input.Label component="div">{words.templateScript}</Input.Label>
        <Input.Description mb={4}>{words.templateScriptHint}</Input.Description>
        <Code label={words.templateScript} value={script} onChange={(text) => change({ script: text })} />
      </div>
      <TemplateParameters parameters={parameters} onChange={(all) => change({ parameters: all })} />
      {saving.error && <Failure error={saving.error} />}
      <Group>
        <Do
          may={both(
            may('putAlertTemplate'),
            unless(name.trim() === '', words.absent.name),
            unless(script.trim() === '', words.absent.condition),
          )}
          variant="filled"
          loading={saving.isPending}
          onClick={() => saving.mutate()}
        >
          {words.save}
        </Do>
        <Button variant="subtle" onClick={() => void leave()}>
          {words.discard}
        </Button>
      </Group>
    </Stack>
  );
}
