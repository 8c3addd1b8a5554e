import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { read } from '../../gateway/queries.js';
import { useWindowMillis } from '../../gateway/use-window-millis.js';
import { Empty } from '../../shell/empty.js';
import { Loaded } from '../../shell/loaded.js';
import { isOverIn } from '../../shell/states.js';
import { useEditing } from './edit/use-editing.js';
import { operatorFrame, partitionFrame } from './figures.js';
import { LiveContext, type LiveGraph } from './live.js';
import { logicalGraph, type PlanGraph, physicalGraph, upstreamOf } from './plan-graph.js';
import type { PlanShape } from './plan-shape.js';
import { GraphScreen } from './screen.js';
import { useLogicalPlan, usePhysicalPlan } from './use-plan.js';
import { words } from './words.js';

const noGraph: PlanGraph = { nodes: [], links: [] };

export default function Graph() {
  const { id } = useParams({ from: '/framed/apps/$id/graph' });
  const app = useQuery(read('getApplication', { params: { appid: id } }));
  const isLive = app.data !== undefined && !isOverIn(app.data.state);
  const plan = useLogicalPlan(id, isLive);
  return (
    <Loaded query={plan} what={words.modes.logical} lines={8}>
      {(logical) =>
        logical.operators.length === 0 ? (
          <Empty title={words.none}>{words.noneHint}</Empty>
        ) : (
          <Shown id={id} isLive={isLive} canWrite={app.data?.canWrite !== false} plan={logical} />
        )
      }
    </Loaded>
  );
}

interface ShownProps {
  readonly id: string;
  readonly isLive: boolean;
  readonly canWrite: boolean;
  readonly plan: PlanShape;
}

function Shown({ id, isLive, canWrite, plan }: ShownProps) {
  const search = useSearch({ from: '/framed/apps/$id/graph' });
  const editing = useEditing({ id, isLive, canWrite, plan });
  // A plan is changed as it was written.
  const mode = editing.draft ? 'logical' : (search.mode ?? 'logical');
  const physical = usePhysicalPlan(id, isLive, mode === 'physical');
  const operators = useQuery({
    ...read('listLogicalOperators', { params: { appid: id } }),
    structuralSharing: false,
  });
  const graph = useMemo(() => {
    if (mode === 'logical') return logicalGraph(editing.shape);
    return physical.data ? physicalGraph(physical.data) : noGraph;
  }, [mode, editing.shape, physical.data]);
  const windowMillis = useWindowMillis(id);
  const scale = search.color ?? 'state';
  const live = useMemo((): LiveGraph => {
    const around = { upstream: upstreamOf(graph), windowMillis };
    const first =
      mode === 'logical'
        ? operatorFrame(operators.data?.operators ?? [], around)
        : partitionFrame(physical.data?.operators ?? [], around);
    return { id, mode, scale, isLive, ...around, first, frames: new WeakMap() };
  }, [graph, windowMillis, mode, operators.data, physical.data, id, scale, isLive]);
  const isBlockedKnown = (operators.data?.operators ?? []).some(
    ({ name }) => live.mode === 'logical' && live.first.of(name)?.blocked !== undefined,
  );
  const screen = (
    <GraphScreen graph={graph} editing={editing} isBlockedKnown={isBlockedKnown} search={search} />
  );
  return (
    <LiveContext.Provider value={live}>
      {mode === 'logical' ? (
        screen
      ) : (
        <Loaded query={physical} what={words.modes.physical} lines={8}>
          {() => screen}
        </Loaded>
      )}
    </LiveContext.Provider>
  );
}
