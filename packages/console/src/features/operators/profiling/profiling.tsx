import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type May, unless } from '../../../gateway/capabilities.js';
import { read } from '../../../gateway/queries.js';
import { IfMay } from '../../../shell/if-may.js';
import { isOverIn } from '../../../shell/states.js';
import { Section } from '../section.js';
import type { Physical } from '../use-operators.js';
import { BackPressure } from './back-pressure.js';
import { FlameGraph } from './flame-graph.js';
import { words } from './words.js';

interface Props {
  readonly appid: string;
  readonly name: string;
  readonly partitions: readonly Physical[];
}

/** Where the time of an operator goes. */
export function Profiling({ appid, name, partitions }: Props) {
  const { data: app } = useQuery(read('getApplication', { params: { appid } }));
  const runs: May = unless(isOverIn(app?.state), words.hasEnded);
  return (
    <>
      <Section title={words.backPressure}>
        <IfMay id="getBackPressure">
          {runs.ok ? (
            <BackPressure appid={appid} name={name} />
          ) : (
            <Text size="sm" className="soft">
              {runs.reason}
            </Text>
          )}
        </IfMay>
      </Section>
      <FlameGraph appid={appid} name={name} partitions={partitions.map(({ id }) => id)} runs={runs} />
    </>
  );
}
