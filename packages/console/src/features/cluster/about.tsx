import { useQuery } from '@tanstack/react-query';
import { unknown } from '../../format/number.js';
import { read } from '../../gateway/queries.js';
import { Facts } from '../../shell/facts.js';
import { Loaded } from '../../shell/loaded.js';
import { Panel } from '../../shell/panel.js';
import { words } from './words.js';

export function About() {
  const query = useQuery(read('getAbout', {}));
  return (
    <Panel title={words.about}>
      <Loaded query={query} what={words.about}>
        {(about) => (
          <Facts
            facts={[
              [words.platform, about.platformVersion],
              [words.engine, about.engineVersion || unknown],
              [words.cluster, about.clusterVersion || unknown],
              [words.location, about.clusterLocation || unknown],
              [words.node, about.javaVersion || unknown],
              [words.host, about.hostname || unknown],
              [words.started, about.jvmName],
            ]}
          />
        )}
      </Loaded>
    </Panel>
  );
}
