import { Group, Text } from '@mantine/core';
import { exactCount } from '../../../format/number.js';
import { unless } from '../../../gateway/capabilities.js';
import { useTopicRefusal } from '../../../gateway/use-topic.js';
import { Do } from '../../../shell/do.js';
import { Empty } from '../../../shell/empty.js';
import { save } from './save.js';
import type { Shown } from './shown.js';
import { TupleList } from './tuple-list.js';
import { ndjson } from './tuples.js';
import { useLiveTuples } from './use-live-tuples.js';
import { words } from './words.js';

interface Props extends Shown {
  readonly appid: string;
  readonly port: string | undefined;
}

/** Tuples as they are recorded, the newest first. */
export function Live({ appid, recording, port, portName, width }: Props) {
  const topic = `applications.${appid}.tupleRecorder.${recording.startTime}`;
  const { tuples: all, letGo, unseen } = useLiveTuples(topic);
  const refusal = useTopicRefusal(topic);
  const tuples = port === undefined ? all : all.filter(({ portId }) => portId === port);
  return (
    <>
      <Group justify="space-between" mb="xs" gap="sm">
        <Text size="sm" className="soft">
          {words.shown(tuples.length)}
          {letGo > 0 && ` · ${words.letGo(exactCount(letGo))}`}
          {unseen > 0 && ` · ${words.unseen(exactCount(unseen))}`}
        </Text>
        <Do
          may={unless(tuples.length === 0, words.nothingLoaded)}
          onClick={() => save(`${recording.id}-live.ndjson`, ndjson(tuples))}
        >
          {words.download}
        </Do>
      </Group>
      {tuples.length === 0 ? (
        <Empty title={words.noTuple}>{refusal?.message ?? words.noTupleLive}</Empty>
      ) : (
        <TupleList
          count={tuples.length}
          at={(index) => tuples[tuples.length - 1 - index]}
          portName={portName}
          width={width}
        />
      )}
    </>
  );
}
