import { Alert, Stack, Text } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { Do } from '../../shell/do.js';
import { Failure } from '../../shell/failure.js';
import { Placeholder } from '../../shell/loaded.js';
import { Canvas } from './canvas.js';
import { EditDrawer } from './edit/drawer.js';
import { EditSelected } from './edit/selected.js';
import type { Editing } from './edit/use-editing.js';
import { FoldNotice } from './fold-notice.js';
import classes from './graph.module.css';
import type { GraphSearch } from './graph-search.js';
import { createHighlight, HighlightContext, noHighlight } from './highlight.js';
import { Legend } from './legend.js';
import { useLiveGraph } from './live.js';
import { Panel } from './panel.js';
import type { PlanGraph } from './plan-graph.js';
import { Selected } from './selected.js';
import { type Chosen, chosenBy, selOfNode, selOfOperator } from './selection.js';
import { type ShownGraph, shownGraph } from './shown-graph.js';
import { GraphTable } from './table.js';
import { Toolbar } from './toolbar.js';
import { useLayout } from './use-layout.js';
import { words } from './words.js';

interface Props {
  readonly graph: PlanGraph;
  readonly editing: Editing;
  readonly isBlockedKnown: boolean;
  readonly search: GraphSearch;
}

type Change = { [Key in keyof GraphSearch]: GraphSearch[Key] | undefined };

export function GraphScreen({ graph, editing, isBlockedKnown, search }: Props) {
  const { id, mode, scale, isLive } = useLiveGraph();
  const navigate = useNavigate({ from: '/apps/$id/graph' });
  // What is selected is a place of its own; how it is looked at is not.
  const go = (change: Change, replace = true) =>
    void navigate({ search: (before) => defined({ ...before, ...change }), replace, resetScroll: false });
  const shown = useMemo(() => shownGraph(graph, search.open), [graph, search.open]);
  const chosen = useMemo(() => chosenBy(search.sel, shown), [search.sel, shown]);
  const names = useMemo(() => [...new Set(graph.nodes.map(({ name }) => name))], [graph]);
  const unfold = (fold: string) => go({ open: [...(search.open ?? []), fold], sel: undefined });
  const isTable = search.view === 'table';
  return (
    <Stack gap="sm">
      <Toolbar
        search={{ ...search, ...(mode === 'physical' ? { mode } : {}) }}
        names={names}
        isBlockedKnown={isBlockedKnown}
        isModeFixed={editing.draft !== undefined}
        onMode={(next) =>
          go({ mode: next === 'physical' ? next : undefined, sel: otherSel(chosen), open: undefined })
        }
        onView={(view) => go({ view: view === 'table' ? view : undefined })}
        onScale={(color) => go({ color: color === 'state' ? undefined : color })}
        onFind={(name) => go({ sel: selOfOperator(name) }, false)}
      >
        {!editing.draft && (
          <Do may={editing.may} size="xs" onClick={editing.begin}>
            {words.edit}
          </Do>
        )}
      </Toolbar>
      {!isLive && <Text size="sm">{words.lastKnown}</Text>}
      {!isTable && (
        <FoldNotice
          graph={shown}
          isOpened={search.open !== undefined}
          onUnfold={unfold}
          onFold={() => go({ open: undefined })}
        />
      )}
      {search.sel !== undefined && !chosen && graph.nodes.length > 0 && (
        <Alert variant="outline" color="gray" withCloseButton onClose={() => go({ sel: undefined })}>
          {words.gone}
        </Alert>
      )}
      <div
        className={classes['screen']}
        data-aside={chosen !== undefined || editing.draft !== undefined || undefined}
      >
        {isTable ? (
          <GraphTable graph={graph} selected={idsOf(chosen)} />
        ) : (
          <Drawing
            shown={shown}
            chosen={chosen}
            onSelect={(sel, replace) => go({ sel }, replace)}
            {...(editing.draft ? { onConnect: editing.connect } : {})}
          />
        )}
        {(chosen || editing.draft) && (
          <div className={classes['aside']}>
            {chosen && (
              <Panel chosen={chosen} graph={shown} onClose={() => go({ sel: undefined })} onUnfold={unfold}>
                {editing.draft && <EditSelected key={search.sel} id={id} chosen={chosen} editing={editing} />}
              </Panel>
            )}
            {editing.draft && <EditDrawer id={id} editing={editing} draft={editing.draft} />}
          </div>
        )}
      </div>
      {!isTable && <Legend scale={scale} />}
    </Stack>
  );
}

interface DrawingProps {
  readonly shown: ShownGraph;
  readonly chosen: Chosen | undefined;
  readonly onSelect: (sel: string | undefined, replace: boolean) => void;
  readonly onConnect?: Editing['connect'];
}

function Drawing({ shown, chosen, onSelect, onConnect }: DrawingProps) {
  const { mode } = useLiveGraph();
  const layout = useLayout(shown);
  const highlight = useMemo(createHighlight, []);
  useEffect(() => highlight.set(highlighted(chosen, shown)), [highlight, chosen, shown]);
  if (layout.error) return <Failure what={words.drawingFailed} error={layout.error} retry={layout.refetch} />;
  if (!layout.data) return <Placeholder lines={8} />;
  return (
    <HighlightContext.Provider value={highlight}>
      <Selected chosen={chosen} />
      <Canvas
        graph={shown}
        layout={layout.data}
        selected={chosen?.kind === 'node' ? chosen.node.id : undefined}
        onNode={(node, how) => onSelect(selOfNode(node, mode), how === 'walk')}
        onEdge={({ links }) => links[0] && onSelect(`stream:${links[0].stream}`, false)}
        onNothing={() => chosen && onSelect(undefined, false)}
        {...(onConnect ? { onConnect: (from, to) => onConnect(from.title, to.title) } : {})}
      />
    </HighlightContext.Provider>
  );
}

function highlighted(chosen: Chosen | undefined, { edges }: ShownGraph): ReadonlySet<string> {
  if (!chosen) return noHighlight;
  if (chosen.kind === 'node') return new Set([chosen.node.id]);
  return new Set(
    edges.filter(({ links }) => links.some(({ stream }) => stream === chosen.name)).map(({ id }) => id),
  );
}

const idsOf = (chosen: Chosen | undefined): ReadonlySet<string> =>
  new Set(
    chosen?.kind === 'node'
      ? (chosen.member ? [chosen.member] : chosen.node.members).map(({ id }) => id)
      : [],
  );

/** What is selected in the other plan: its operator. */
function otherSel(chosen: Chosen | undefined): string | undefined {
  if (chosen?.kind !== 'node') return undefined;
  const { member, node } = chosen;
  return node.kind === 'single' || node.kind === 'partitions' || member
    ? selOfOperator(member?.name ?? node.title)
    : undefined;
}

/** Without what is not there: a query has no key without a value. */
const defined = (search: Change): GraphSearch =>
  Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
