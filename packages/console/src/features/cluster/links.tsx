import { Anchor, List, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMay } from '../../gateway/capabilities.js';
import { managerUrl, trackingUrl } from '../../gateway/proxies.js';
import { read } from '../../gateway/queries.js';
import { Loaded } from '../../shell/loaded.js';
import { Panel } from '../../shell/panel.js';
import { words } from './words.js';

/** What the cluster shows by itself, through the gateway. */
export function Links() {
  const may = useMay();
  const query = useQuery(read('listApplications', { query: { states: 'RUNNING' } }));
  const manager = may('forwardManagerGet').ok
    ? [
        { href: managerUrl('cluster/info'), label: words.manager },
        { href: managerUrl('cluster/apps'), label: words.managerApps },
      ]
    : [];
  return (
    <Panel title={words.links}>
      <Loaded query={query} what={words.links}>
        {({ apps }) => {
          const masters = apps
            .filter((app) => app.trackingUrl !== '')
            .map((app) => ({ href: trackingUrl(app.trackingUrl), label: words.running(app.name) }));
          const all = [...manager, ...masters];
          return (
            <>
              <Text size="sm" className="soft">
                {all.length === 0 ? words.noLinks : words.linksHint}
              </Text>
              <List size="sm" listStyleType="none">
                {all.map(({ href, label }) => (
                  <List.Item key={href}>
                    <Anchor size="sm" href={href} target="_blank" rel="noopener noreferrer">
                      <bdi>{label}</bdi>
                    </Anchor>
                  </List.Item>
                ))}
              </List>
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}
