import { SimpleGrid, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useMay } from '../../gateway/capabilities.js';
import { type AnswerOf, read } from '../../gateway/queries.js';
import { Loaded } from '../../shell/loaded.js';
import { Attributes } from './attributes.js';
import { Health } from './health.js';
import { Issues, RootCause } from './issues.js';
import { Past } from './past.js';
import { Source } from './source.js';
import { useFigures } from './use-figures.js';

/** First whether it is well, then how it was, then what there is to know besides. */
export default function Overview() {
  const { id } = useParams({ from: '/framed/apps/$id/' });
  const query = useQuery(read('getApplication', { params: { appid: id } }));
  return (
    <Loaded query={query} what={id} lines={6}>
      {(app) => <Shown key={app.id} app={app} />}
    </Loaded>
  );
}

function Shown({ app }: { readonly app: AnswerOf<'getApplication'> }) {
  const may = useMay();
  const isOver = app.finishedTime > 0;
  const { figures, latest } = useFigures(isOver ? undefined : app.id);
  const { data: attributes } = useQuery({
    ...read('getApplicationAttributes', { params: { appid: app.id } }),
    enabled: may('getApplicationAttributes').ok && !isOver,
  });
  const state = latest?.state ?? app.state;
  return (
    <Stack>
      <Health app={{ ...app, state }} told={latest ?? app.stats ?? {}} />
      {state === 'FAILED' && <RootCause id={app.id} />}
      <Past app={app} figures={figures} />
      <SimpleGrid cols={{ base: 1, md: isOver ? 1 : 2 }}>
        {!isOver && <Issues id={app.id} />}
        <Source app={app} />
      </SimpleGrid>
      <Attributes values={attributes ?? app.attributes} />
    </Stack>
  );
}
