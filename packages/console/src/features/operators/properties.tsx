import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { PropertyFields } from '../../forms/property-fields.js';
import { changesIn, type Values } from '../../forms/property-values.js';
import { errorsIn } from '../../forms/refusals.js';
import { both, unless, useMay } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import { changed, read, readText } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Failure } from '../../shell/failure.js';
import { Loaded } from '../../shell/loaded.js';
import { said } from '../../shell/notify.js';
import { bodyOf, valuesIn } from './changes.js';
import { useMayChange } from './use-operators.js';
import { words } from './words.js';

interface Props {
  readonly appid: string;
  readonly name: string;
  readonly className: string;
  /** One partition; default: the logical operator. */
  readonly opId?: string;
}

/** Each in a field made for its type; what was changed is sent at once, all of it or nothing. */
export function Properties(props: Props) {
  const { appid, name, opId } = props;
  const query = useQuery(
    opId === undefined
      ? readText('getOperatorProperties', { params: { appid, opName: name } })
      : readText('getPhysicalOperatorProperties', { params: { appid, opid: opId } }),
  );
  return (
    <Loaded query={query} what={words.properties} lines={4}>
      {(text) => <Editor {...props} text={text} />}
    </Loaded>
  );
}

function Editor({ appid, name, className, opId, text }: Props & { readonly text: string }) {
  const mayDescribe = useMay()('getOperatorClass').ok;
  const described = useQuery({
    ...read('getOperatorClass', { params: { appid, operatorClass: className } }),
    enabled: mayDescribe && className !== '',
    retry: false,
  });
  const values = useMemo(() => valuesIn(text), [text]);
  // Not kept as a draft: passwords may be among them.
  const [edits, setEdits] = useState<Values>({});
  const [filter, setFilter] = useState('');
  const [isSending, setSending] = useState(false);
  const [error, setError] = useState<Error>();
  const changes = changesIn(values, edits);
  const count = Object.keys(changes).length;
  const id = opId === undefined ? 'setOperatorProperties' : 'setPhysicalOperatorProperties';
  const may = useMayChange(appid)(id);
  const send = async () => {
    setSending(true);
    setError(undefined);
    try {
      const body = bodyOf(changes);
      if (opId === undefined) await client.setOperatorProperties({ params: { appid, opName: name }, body });
      else await client.setPhysicalOperatorProperties({ params: { appid, opid: opId }, body });
      await changed('getOperatorProperties', 'getPhysicalOperatorProperties');
      setEdits({});
      said(words.changed(count));
    } catch (thrown) {
      setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setSending(false);
    }
  };
  return (
    <Stack gap="sm">
      {described.error && <Failure error={described.error} what={className} retry={described.refetch} />}
      {Object.keys(values).length > 8 && (
        <TextInput
          aria-label={words.filterProperties}
          placeholder={words.filterProperties}
          value={filter}
          onChange={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      )}
      <PropertyFields
        properties={described.data?.properties ?? []}
        values={values}
        edits={edits}
        errors={errorsIn(error)}
        filter={filter}
        {...(may.ok
          ? { onEdit: (key: string, value: unknown) => setEdits((now) => ({ ...now, [key]: value })) }
          : {})}
      />
      {error && <Failure error={error} />}
      <Group gap="sm">
        <Do
          may={both(may, unless(count === 0, words.noChange))}
          variant="filled"
          loading={isSending}
          onClick={send}
        >
          {words.change}
        </Do>
        {count > 0 && (
          <Button variant="default" onClick={() => setEdits({})}>
            {words.undo}
          </Button>
        )}
        <Text size="sm" className="soft" role="status">
          {count > 0 ? words.willChange(count) : opId === undefined ? words.inAll : words.inOne}
        </Text>
      </Group>
    </Stack>
  );
}
