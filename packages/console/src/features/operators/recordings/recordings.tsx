import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useMemo } from 'react';
import { read } from '../../../gateway/queries.js';
import { Empty } from '../../../shell/empty.js';
import { IfMay } from '../../../shell/if-may.js';
import { Loaded } from '../../../shell/loaded.js';
import { Part } from '../../../shell/part.js';
import { usePhysical } from '../use-operators.js';
import { RecordingTable } from './table.js';
import { words } from './words.js';

export default function Recordings() {
  const { id } = useParams({ from: '/framed/apps/$id/recordings' });
  return (
    <Part title={words.title}>
      <IfMay id="listApplicationRecordings">
        <All id={id} />
      </IfMay>
    </Part>
  );
}

function All({ id }: { readonly id: string }) {
  const query = useQuery({
    ...read('listApplicationRecordings', { params: { appid: id } }),
    refetchInterval: 5000,
  });
  const { operators } = usePhysical(id);
  const names = useMemo(() => new Map(operators.map((one) => [one.id, one.logicalName])), [operators]);
  return (
    <Loaded query={query} what={words.title} lines={6}>
      {({ recordings }) =>
        recordings.length === 0 ? (
          <Empty
            title={words.none}
            action={
              <Button
                variant="default"
                renderRoot={(props) => <Link to="/apps/$id/operators" params={{ id }} {...props} />}
              >
                {words.toOperators}
              </Button>
            }
          >
            {words.noneHint}
          </Empty>
        ) : (
          <RecordingTable appid={id} recordings={recordings} nameOf={(opId) => names.get(opId)} />
        )
      }
    </Loaded>
  );
}
