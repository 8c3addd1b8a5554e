const frame = (name: string, value: number, ...children: object[]) => ({ name, value, children });

/** A flame graph as Flink answers it: a chain of operators in the thread of a task, and a thread that waits. */
export const chainSamples = frame(
  'root',
  100,
  frame(
    'java.lang.Thread.run:840',
    100,
    frame(
      'org.apache.flink.streaming.runtime.tasks.StreamTask.invoke:970',
      70,
      frame('org.acme.orders.Parse.map:41', 45, frame('org.acme.json.Reader.read:12', 30)),
      frame('org.acme.orders.Join.process:88', 20),
    ),
    frame('java.lang.Object.wait:-2', 30),
  ),
);
