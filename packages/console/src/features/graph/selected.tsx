import { useNodeFigures } from './live.js';
import type { Chosen } from './selection.js';
import type { ShownNode } from './shown-graph.js';
import { words } from './words.js';

/** Tells those who do not see the graph what is selected: the node when it is another, and not each of its figures. */
export function Selected({ chosen }: { readonly chosen: Chosen | undefined }) {
  return (
    <div className="visually-hidden" role="status">
      {chosen?.kind === 'node' && <Told key={chosen.node.id} node={chosen.node} />}
    </div>
  );
}

function Told({ node }: { readonly node: ShownNode }) {
  const { text } = useNodeFigures(node);
  return <>{words.selected(words.foldTitle(node.kind, node.title, node.members.length), text)}</>;
}
