import { Button, CloseButton, Group, Stack, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useMemo } from 'react';
import { Name } from '../../shell/name.js';
import { FigureList } from './figure-list.js';
import { useLiveGraph } from './live.js';
import { Members, Partitions } from './members.js';
import { OperatorLink } from './operator-link.js';
import type { Chosen } from './selection.js';
import type { ShownEdge, ShownGraph } from './shown-graph.js';
import { words } from './words.js';

interface Props {
  readonly chosen: Chosen;
  readonly graph: ShownGraph;
  readonly onClose: () => void;
  readonly onUnfold: (fold: string) => void;
  /** What may be done with it while the plan is edited. */
  readonly children?: ReactNode;
}

/** What is known of the thing that is selected. */
export function Panel({ chosen, graph, onClose, onUnfold, children }: Props) {
  return (
    <section className="panel" aria-label={words.panel}>
      <Stack gap="sm">
        <Group justify="space-between" wrap="nowrap">
          <Title order={2} style={{ minWidth: 0 }}>
            <Name>{titleOf(chosen)}</Name>
          </Title>
          <CloseButton aria-label={words.close} onClick={onClose} />
        </Group>
        {chosen.kind === 'stream' ? (
          <Stream name={chosen.name} edges={graph.edges} />
        ) : (
          <Node chosen={chosen} onUnfold={onUnfold} />
        )}
        {children}
      </Stack>
    </section>
  );
}

function titleOf(chosen: Chosen): string {
  if (chosen.kind === 'stream') return words.streamTitle(chosen.name);
  const { node, member } = chosen;
  return member?.name ?? words.foldTitle(node.kind, node.title, node.members.length);
}

function Node({
  chosen: { node, member },
  onUnfold,
}: {
  readonly chosen: Extract<Chosen, { kind: 'node' }>;
  readonly onUnfold: (fold: string) => void;
}) {
  const { id, mode } = useLiveGraph();
  const nodes = useMemo(() => (member ? [member] : node.members), [member, node]);
  const ids = useMemo(() => nodes.map((one) => one.id), [nodes]);
  const [first] = nodes;
  const isOneOperator = nodes.every(({ name }) => name === first?.name);
  return (
    <>
      {first && isOneOperator && (
        <Text size="sm" className="mono" style={{ overflowWrap: 'anywhere' }}>
          {first.className}
        </Text>
      )}
      {first && isOneOperator && (
        <Text size="sm">
          <OperatorLink id={id} name={first.name} label={words.openOperator} />
        </Text>
      )}
      <FigureList
        ids={ids}
        {...(nodes.length === 1 && first?.container !== undefined ? { container: first.container } : {})}
      />
      {node.kind !== 'single' && (
        <Group gap="sm">
          <Text size="sm" className="soft">
            {words.foldKinds[node.kind]}
          </Text>
          <Button size="compact-sm" variant="default" onClick={() => onUnfold(node.id)}>
            {words.unfoldThis}
          </Button>
        </Group>
      )}
      {mode === 'logical' && first && nodes.length === 1 && <Partitions name={first.name} />}
      {nodes.length > 1 && <Members nodes={nodes} />}
    </>
  );
}

function Stream({ name, edges }: { readonly name: string; readonly edges: readonly ShownEdge[] }) {
  const links = edges.flatMap((edge) => edge.links.filter(({ stream }) => stream === name));
  const say = ({ id, port }: { id: string; port: string }) => `${id}.${port}`;
  const unique = (all: readonly string[]) => [...new Set(all)].slice(0, 20);
  return (
    <Text size="sm" component="div">
      <strong>{words.from}</strong>
      {unique(links.map(({ source }) => say(source))).map((end) => (
        <div key={end}>
          <Name>{end}</Name>
        </div>
      ))}
      <strong>{words.to}</strong>
      {unique(links.map(({ sink }) => say(sink))).map((end) => (
        <div key={end}>
          <Name>{end}</Name>
        </div>
      ))}
    </Text>
  );
}
