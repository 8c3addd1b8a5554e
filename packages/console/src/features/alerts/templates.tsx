import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Name } from '../../shell/name.js';
import { Page } from '../../shell/page.js';
import { askToRemoveTemplate } from './actions.js';
import classes from './alerts.module.css';
import { AlertTabs } from './tabs.js';
import { TemplateForm } from './template-form.js';
import { words } from './words.js';

export default function Templates() {
  const { edit, new: isNew } = useSearch({ from: '/framed/alerts/templates' });
  const query = useQuery(read('listAlertTemplates', {}));
  const may = useMay();
  const navigate = useNavigate({ from: '/alerts/templates' });
  const isForm = edit !== undefined || isNew === true;
  return (
    <Page
      title={`${words.templates} · ${words.title}`}
      heading={words.title}
      actions={
        !isForm && (
          <Do may={may('putAlertTemplate')} onClick={() => navigate({ search: { new: true } })}>
            {words.addTemplate}
          </Do>
        )
      }
    >
      <AlertTabs />
      <Loaded query={query} what={words.templates} lines={6}>
        {({ templates }) => {
          const found = templates.find(({ name }) => name === edit);
          if (isForm)
            return edit === undefined || found ? (
              <TemplateForm key={edit ?? ''} kept={found} />
            ) : (
              <Empty title={words.templateMissing} />
            );
          return templates.length === 0 ? (
            <Empty title={words.noTemplates}>{words.noTemplatesHint}</Empty>
          ) : (
            <Stack gap="md">
              {templates.map((template) => (
                <Template key={template.name} template={template} />
              ))}
            </Stack>
          );
        }}
      </Loaded>
    </Page>
  );
}

function Template({
  template: { name, description, script },
}: {
  readonly template: { readonly name: string; readonly description: string; readonly script: string };
}) {
  const may = useMay();
  const navigate = useNavigate({ from: '/alerts/templates' });
  return (
    <section className="panel" aria-label={name}>
      <Group justify="space-between" gap="sm">
        <Title order={2}>
          <Name tail={24}>{name}</Name>
        </Title>
        <Group gap="sm">
          <Button
            size="compact-md"
            aria-label={words.useOf(name)}
            renderRoot={(props) => <Link to="/alerts/edit" search={{ template: name }} {...props} />}
          >
            {words.use}
          </Button>
          <Do
            may={may('putAlertTemplate')}
            size="compact-md"
            onClick={() => navigate({ search: { edit: name } })}
          >
            {words.edit}
          </Do>
          <Do may={may('deleteAlertTemplate')} size="compact-md" onClick={() => askToRemoveTemplate(name)}>
            {words.remove}
          </Do>
        </Group>
      </Group>
      <Text size="sm" dir="auto" className={classes['text']}>
        {description}
      </Text>
      <pre className={`mono ${classes['script']}`}>{script}</pre>
    </section>
  );
}
