import { Alert, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { NamedTexts } from '../../forms/named-texts.js';
import { PropertyFields } from '../../forms/property-fields.js';
import { textOf, type Values } from '../../forms/property-values.js';
import { errorsIn } from '../../forms/refusals.js';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { useDraft } from '../../shell/draft.js';
import { Failure } from '../../shell/failure.js';
import { TextLink } from '../../shell/links.js';
import { Placeholder } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { Body } from './body.js';
import { type Choice, Choices } from './choices.js';
import { furtherIn, launchBody, launchForm, missingIn, namesIn } from './launch-form.js';
import { Others } from './others.js';
import { Plan } from './plan.js';
import { words } from './words.js';

type PackageApp = Awaited<ReturnType<typeof client.getPackageApplication>>;

interface Props {
  readonly of: { readonly owner: string; readonly name: string; readonly version: string };
  readonly app: PackageApp;
  readonly classes: Parameters<typeof launchForm>[1];
}

interface Draft {
  readonly edits: Values;
  readonly choice: Choice;
}

const nothing: Draft = { edits: {}, choice: {} };

/** Types are a help, not a condition: where they can't be read every property is text. */
export function Form(props: Omit<Props, 'classes'>) {
  const { data, isPending } = useQuery(read('listPackageOperators', { params: props.of }));
  if (isPending) return <Placeholder lines={4} />;
  return <Fields {...props} classes={data?.operatorClasses ?? none} />;
}

const none: Props['classes'] = [];

function Fields({ of, app, classes }: Props) {
  const may = useMay();
  const navigate = useNavigate();
  const {
    draft = nothing,
    setDraft,
    discard,
  } = useDraft<Draft>(`launch ${JSON.stringify([of.owner, of.name, of.version, app.name])}`);
  const { edits, choice } = draft;
  const form = useMemo(() => launchForm(app, classes), [app, classes]);
  const [error, setError] = useState<Error>();
  const [isLaunching, setLaunching] = useState(false);
  // A configuration may give what is required: only the gateway knows.
  const missing =
    choice.config === undefined && choice.configPackage === undefined ? missingIn(form, edits) : [];
  const body = launchBody(edits);
  const edit = (name: string, value: unknown) => setDraft({ ...draft, edits: { ...edits, [name]: value } });
  const editFurther = (name: string, value: string | undefined) => {
    const { [name]: _, ...rest } = edits;
    if (value === undefined) setDraft({ ...draft, edits: rest });
    else edit(name, value);
  };
  const launch = async () => {
    setLaunching(true);
    setError(undefined);
    try {
      const { appId } = await client.launchPackageApplication({
        params: { ...of, appName: app.name },
        query: choice,
        body,
      });
      discard();
      said(words.launched(app.displayName));
      await changed('listApplications');
      await navigate({ to: '/apps/$id', params: { id: appId } });
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
      setLaunching(false);
    }
  };
  const errors = errorsIn(error);
  const fields = { values: {}, edits, onEdit: edit, defaults: form.defaults, errors };
  return (
    <Stack maw={760} gap="lg">
      <TextLink to="/packages/$owner/$name/$version" params={of}>
        {words.back(of.name, of.version)}
      </TextLink>
      {app.error && (
        <Alert color="var(--state-failed)" variant="outline" title={words.cannotRun}>
          {app.error}
        </Alert>
      )}
      {form.required.length > 0 && (
        <section aria-labelledby="required-title">
          <Title order={2} mb="sm" id="required-title">
            {words.required}
          </Title>
          <PropertyFields {...fields} properties={form.required} />
        </section>
      )}
      <Choices of={of} choice={choice} onChange={(next) => setDraft({ ...draft, choice: next })} />
      <Others {...fields} properties={form.others} />
      <section aria-labelledby="further-title">
        <Title order={2} mb="xs" id="further-title">
          {words.further}
        </Title>
        <Text size="sm" className="soft" mb="sm">
          {words.furtherHint}
        </Text>
        <NamedTexts
          entries={furtherIn(form, edits).map((name) => [name, textOf(edits[name])])}
          taken={namesIn(form)}
          problemOf={(name) => errors[name]}
          onSet={editFurther}
        />
      </section>
      <Plan
        params={{ ...of, appName: app.name }}
        query={choice.config === undefined ? {} : { config: choice.config }}
        body={body}
      />
      <Body body={body} choice={choice} />
      {error && <Failure error={error} what={words.notLaunched} />}
      <Group>
        <Do
          may={both(
            may('launchPackageApplication'),
            unless(app.error !== undefined, words.cannotRun),
            unless(missing.length > 0, words.missing(missing)),
          )}
          onClick={launch}
          loading={isLaunching}
          variant="filled"
        >
          {words.launch}
        </Do>
        {draft !== nothing && (
          <Do may={{ ok: true }} onClick={discard}>
            {words.reset}
          </Do>
        )}
      </Group>
    </Stack>
  );
}
