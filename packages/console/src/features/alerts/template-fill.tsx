import { Button, Group, NumberInput, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '../../gateway/client.js';
import { read } from '../../gateway/queries.js';
import { Empty } from '../../shell/empty.js';
import { Failure } from '../../shell/failure.js';
import { Loaded } from '../../shell/loaded.js';
import { firstValues, givenValues, type Parameter, problemsOf } from './template-values.js';
import { words } from './words.js';

interface Props {
  readonly name: string;
  readonly onScript: (script: string, description: string) => void;
}

/** The gaps of a template, and what they become: the gateway puts the values in, so that none can be code. */
export function TemplateFill({ name, onScript }: Props) {
  const query = useQuery(read('listAlertTemplates', {}));
  return (
    <Loaded query={query} what={words.template(name)}>
      {({ templates }) => {
        const found = templates.find((one) => one.name === name);
        return found ? (
          <Gaps key={name} name={name} template={found} onScript={onScript} />
        ) : (
          <Empty title={words.templateMissing} />
        );
      }}
    </Loaded>
  );
}

function Gaps({
  name,
  template,
  onScript,
}: Props & {
  readonly template: { readonly description: string; readonly parameters: readonly Parameter[] };
}) {
  const { parameters, description } = template;
  const [values, setValues] = useState(() => firstValues(parameters));
  const [isTried, setTried] = useState(false);
  const problems = problemsOf(parameters, values);
  const filling = useMutation({
    mutationFn: () =>
      client.validateScript({ body: { template: name, values: givenValues(parameters, values) } }),
    onSuccess: ({ script }) => script !== undefined && onScript(script, description),
  });
  const fill = () => {
    setTried(true);
    if (Object.keys(problems).length === 0) filling.mutate();
  };
  return (
    <Stack
      className="panel"
      component="form"
      gap="sm"
      onSubmit={(event) => {
        event.preventDefault();
        fill();
      }}
    >
      <Title order={2}>{words.template(name)}</Title>
      <Text size="sm">{description}</Text>
      {parameters.map((parameter) => (
        <Gap
          key={parameter.variable}
          parameter={parameter}
          value={values[parameter.variable] ?? ''}
          problem={isTried ? problems[parameter.variable] : undefined}
          onChange={(value) => setValues({ ...values, [parameter.variable]: value })}
        />
      ))}
      {filling.error && <Failure error={filling.error} />}
      <Group>
        <Button type="submit" loading={filling.isPending}>
          {words.fill}
        </Button>
        {filling.isSuccess && <Text size="sm">{words.filled}</Text>}
      </Group>
    </Stack>
  );
}

function Gap({
  parameter: { label, type, placeholder, tooltip, required, values },
  value,
  problem,
  onChange,
}: {
  readonly parameter: Parameter;
  readonly value: string;
  readonly problem: string | undefined;
  readonly onChange: (value: string) => void;
}) {
  const shared = { label, placeholder, description: tooltip, error: problem, withAsterisk: required };
  if (values)
    return (
      <Select
        {...shared}
        data={Object.entries(values).map(([key, shown]) => ({ value: key, label: shown }))}
        value={value === '' ? null : value}
        onChange={(chosen) => onChange(chosen ?? '')}
        clearable={!required}
      />
    );
  return type === 'number' ? (
    <NumberInput {...shared} value={value} onChange={(typed) => onChange(String(typed))} hideControls />
  ) : (
    <TextInput {...shared} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)} />
  );
}
