import { Alert, Button, Grid, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Failure } from '../../shell/failure.js';
import { type AlertFields, missingIn } from './alert-fields.js';
import { AlertMail } from './alert-mail.js';
import { Condition } from './condition.js';
import { Facts } from './facts.js';
import { TemplateFill } from './template-fill.js';
import type { TopicData } from './topic-values.js';
import { useAlertDraft } from './use-alert-draft.js';
import { useVerdict } from './use-verdict.js';
import { VerdictPanel } from './verdict.js';
import { words } from './words.js';

const noData: TopicData = {};

export function Editor({
  kept,
  template,
}: {
  readonly kept: AlertFields;
  readonly template: string | undefined;
}) {
  const draft = useAlertDraft(kept);
  const { fields, change } = draft;
  const { data: topics = noData } = useQuery({ ...read('getTopicData', {}), refetchInterval: 5000 });
  const verdict = useVerdict(fields);
  const { data } = verdict.query;
  const { error = '', line, column } = verdict.isBehind || data?.valid !== false ? {} : data;
  const problem = useMemo(
    () => (error === '' ? undefined : { message: error, line, column }),
    [error, line, column],
  );
  return (
    <Grid gap="lg">
      <Grid.Col span={{ base: 12, md: 8 }}>
        <Stack gap="md">
          {template !== undefined && (
            <TemplateFill
              name={template}
              onScript={(condition, description) =>
                change({ condition, description: fields.description || description })
              }
            />
          )}
          <Facts fields={fields} isNew={kept.name === ''} change={change}>
            <Condition
              value={fields.condition}
              onChange={(condition) => change({ condition })}
              data={topics}
              problem={problem}
            />
          </Facts>
          <Saving draft={draft} />
        </Stack>
      </Grid.Col>
      <Grid.Col span={{ base: 12, md: 4 }}>
        <Stack gap="md">
          <VerdictPanel isEmpty={fields.condition.trim() === ''} verdict={verdict} />
          <AlertMail fields={fields} mail={verdict.query.data?.mail} />
        </Stack>
      </Grid.Col>
    </Grid>
  );
}

function Saving({ draft }: { readonly draft: ReturnType<typeof useAlertDraft> }) {
  const may = useMay();
  const { fields, isChanged, conflict, error, isSaving, save, discard } = draft;
  const missing = missingIn(fields);
  return (
    <>
      {error && <Failure what={words.notSaved} error={error} />}
      {conflict && (
        <Alert color="yellow" variant="outline" title={words.conflict[conflict]} role="alert">
          <Text size="sm">{words.conflictHint}</Text>
          <Group mt="sm" gap="sm">
            <Button size="compact-sm" variant="default" onClick={() => save(true)}>
              {words.saveAnyway}
            </Button>
            {conflict === 'changed' && (
              <Button size="compact-sm" variant="default" onClick={discard}>
                {words.takeTheirs}
              </Button>
            )}
          </Group>
        </Alert>
      )}
      <Group>
        <Do
          may={both(
            may('putAlert'),
            unless(missing !== undefined, missing ? words.absent[missing] : ''),
            unless(!isChanged, words.unchanged),
          )}
          variant="filled"
          loading={isSaving}
          onClick={() => save()}
        >
          {words.save}
        </Do>
        {isChanged && (
          <Button variant="subtle" onClick={discard}>
            {words.discard}
          </Button>
        )}
      </Group>
    </>
  );
}
