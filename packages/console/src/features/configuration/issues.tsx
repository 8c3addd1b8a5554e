import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { read } from '../../gateway/queries.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { Panel } from '../../shell/panel.js';
import { State } from '../../shell/state.js';
import { words } from './words.js';

export default function Issues() {
  const query = useQuery({ ...read('listConfigIssues', {}), refetchInterval: 30_000 });
  return (
    <Panel title={words.issues}>
      <Loaded query={query} what={words.issues}>
        {({ issues }) =>
          issues.length === 0 ? (
            <Empty title={words.noIssues}>{words.noIssuesHint}</Empty>
          ) : (
            <Stack gap="sm">
              {issues.map(({ key, severity, description, propertyName }) => (
                <div key={key}>
                  <Text size="sm" fw={600} component="div">
                    <State
                      state={words.severity[severity]}
                      kind={severity === 'error' ? 'failed' : 'warning'}
                    />{' '}
                    <code>{key}</code>
                  </Text>
                  <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                    {description}
                  </Text>
                  {propertyName && (
                    <Anchor
                      size="sm"
                      renderRoot={(props) => (
                        <Link {...props} to="/admin/properties" search={{ q: propertyName, unset: true }} />
                      )}
                    >
                      {words.property(propertyName)}
                    </Anchor>
                  )}
                </div>
              ))}
            </Stack>
          )
        }
      </Loaded>
    </Panel>
  );
}
