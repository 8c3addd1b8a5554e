import { Stack, Table, Text, Title } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useMay, useOffers } from '../../gateway/capabilities.js';
import { client } from '../../gateway/client.js';
import type { AnswerOf } from '../../gateway/queries.js';
import { Do } from '../../shell/do.js';
import { Failure } from '../../shell/failure.js';
import { Name } from '../../shell/name.js';
import { TableHead } from '../../shell/table-head.js';
import type { launchBody } from './launch-form.js';
import { words } from './words.js';

interface Props {
  readonly params: Parameters<typeof client.planPackageApplication>[0]['params'];
  readonly query: { readonly config?: string };
  readonly body: ReturnType<typeof launchBody>;
}

/** What the launch would begin, on clusters that can tell: the program runs for it, so only when somebody asks. */
export function Plan({ params, query, body }: Props) {
  const may = useMay();
  const offers = useOffers();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => client.planPackageApplication({ params, query, body }),
  });
  if (!offers('resourceManager.planner')) return null;
  return (
    <section aria-labelledby="plan-title">
      <Title order={2} mb="xs" id="plan-title">
        {words.plan}
      </Title>
      <Stack gap="sm" align="flex-start">
        <Text size="sm" className="soft">
          {words.planHint}
        </Text>
        <Do may={may('planPackageApplication')} onClick={() => mutate()} loading={isPending}>
          {words.showPlan}
        </Do>
        {error && <Failure error={error} what={words.plan} />}
        {data && <Operators plan={data} />}
      </Stack>
    </section>
  );
}

function Operators({ plan: { operators, streams } }: { readonly plan: AnswerOf<'planPackageApplication'> }) {
  const sourcesOf = (name: string) =>
    streams
      .filter(({ sinks }) => sinks.some(({ operatorName }) => operatorName === name))
      .map(({ source }) => source.operatorName);
  return (
    <Table.ScrollContainer minWidth={320} w="100%">
      <Table aria-label={words.plan}>
        <TableHead
          columns={[words.planColumns.operator, words.planColumns.parallelism, words.planColumns.readsFrom]}
        />
        <Table.Tbody>
          {operators.map(({ name, attributes }) => (
            <Table.Tr key={name}>
              <Table.Td>
                <Name>{name}</Name>
              </Table.Td>
              <Table.Td>{String(attributes['parallelism'] ?? '')}</Table.Td>
              <Table.Td>
                {sourcesOf(name).map((source) => (
                  <Text key={source} size="sm">
                    <Name>{source}</Name>
                  </Text>
                ))}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
