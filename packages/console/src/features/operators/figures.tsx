import { Text } from '@mantine/core';
import { duration } from '../../format/duration.js';
import { rate } from '../../format/number.js';
import { State } from '../../shell/state.js';

/** What matters most of an operator, beside its title. */
export function Figures({
  state,
  of,
}: {
  readonly state: string;
  readonly of: {
    readonly tuplesProcessedPSMA?: number | undefined;
    readonly tuplesEmittedPSMA?: number | undefined;
    readonly latencyMA?: number | undefined;
  };
}) {
  return (
    <>
      <State state={state} />
      <Text size="sm" className="figure">
        {rate(of.tuplesProcessedPSMA)} in · {rate(of.tuplesEmittedPSMA)} out · {duration(of.latencyMA)}
      </Text>
    </>
  );
}
