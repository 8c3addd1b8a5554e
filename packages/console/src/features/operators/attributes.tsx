import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { textOf } from '../../forms/property-values.js';
import { readText } from '../../gateway/queries.js';
import { Loaded } from '../../shell/loaded.js';
import { exactRecord } from './exact.js';
import { NamedValues } from './named-values.js';
import { words } from './words.js';

interface Props {
  readonly appid: string;
  readonly name: string;
  /** Of one of its ports; default: of the operator. */
  readonly port?: string;
}

export function Attributes({ appid, name, port }: Props) {
  const params = { appid, opName: name };
  const query = useQuery(
    port === undefined
      ? readText('getOperatorAttributes', { params })
      : readText('getPortAttributes', { params: { ...params, portName: port } }),
  );
  return (
    <Loaded query={query} what={words.attributes}>
      {(text) => <Values text={text} />}
    </Loaded>
  );
}

function Values({ text }: { readonly text: string }) {
  const entries = useMemo(
    () => Object.entries(exactRecord(text)).map(([key, value]) => [key, textOf(value)] as const),
    [text],
  );
  return (
    <NamedValues
      title={words.attributes}
      name={words.attribute}
      value={words.value}
      entries={entries}
      none={words.noAttributes}
    />
  );
}
