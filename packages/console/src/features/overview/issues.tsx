import { List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { read } from '../../gateway/queries.js';
import { Loaded } from '../../shell/loaded.js';
import { Panel } from '../../shell/panel.js';
import { signs } from '../../shell/states.js';
import { Rendered } from './rendered.js';
import { words } from './words.js';

const everyMillis = 10_000;

/** What is wrong with it at this moment; asked for anew while somebody looks, since no topic tells. */
export function Issues({ id }: { readonly id: string }) {
  const query = useQuery({
    ...read('listApplicationIssues', { params: { appid: id } }),
    refetchInterval: everyMillis,
  });
  return (
    <Panel title={words.issues}>
      <Loaded query={query} what={words.issues} lines={1}>
        {({ issues }) =>
          issues.length === 0 ? (
            <Text size="sm" className="soft">
              {words.noIssues}
            </Text>
          ) : (
            <List size="sm" listStyleType="none" spacing="xs">
              {issues.map(({ key, severity, description }) => (
                <List.Item key={key}>
                  <span data-state={severity === 'error' ? 'failed' : 'warning'}>
                    {signs[severity === 'error' ? 'failed' : 'warning']} {words[severity]}
                  </span>{' '}
                  <span dir="auto">{description}</span>
                </List.Item>
              ))}
            </List>
          )
        }
      </Loaded>
    </Panel>
  );
}

export function RootCause({ id }: { readonly id: string }) {
  const query = useQuery(read('getFailureRootCause', { params: { appid: id } }));
  return (
    <Panel title={words.rootCause}>
      <Loaded query={query} what={words.rootCause}>
        {({ content }) => <Rendered markdown={content} />}
      </Loaded>
    </Panel>
  );
}
