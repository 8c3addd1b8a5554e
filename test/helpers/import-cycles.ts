interface Arrow {
  readonly from: string;
  readonly to: string;
}

/** Circles among these files, each as the way that leads round; empty where all arrows lead down. */
export function cyclesOf(files: readonly string[], arrows: readonly Arrow[]): string[] {
  const graph = new Map<string, string[]>();
  for (const { from, to } of arrows)
    if (files.includes(to)) graph.set(from, [...(graph.get(from) ?? []), to]);
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    else if (!done.has(file)) for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  return cycles;
}
