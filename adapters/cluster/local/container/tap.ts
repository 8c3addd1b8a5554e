import type { Receiver } from './channel.js';
import type { OperatorNode } from './node.js';
import type { Sink } from './stream.js';

/** One port of an operator, seen by a recording. As long as nothing is attached the port works as without it. */
export interface Tap {
  /** Tuples that passed so far, seen or not. */
  passed(): number;
  attach(): void;
  detach(): void;
}

/** `see` gets each tuple before its readers do. `undefined`: there is no such port. */
export function tapOf(
  node: OperatorNode,
  port: { readonly name: string; readonly type: 'input' | 'output' },
  see: (tuple: unknown) => void,
): Tap | undefined {
  return port.type === 'input' ? inputTap(node, port.name, see) : outputTap(node, port.name, see);
}

function inputTap(node: OperatorNode, name: string, see: (tuple: unknown) => void): Tap | undefined {
  const channel = node.channels.find(({ label }) => label === name);
  if (!channel) return undefined;
  const { operator } = node;
  const receiver: Receiver = {
    process(port, tuple) {
      see(tuple);
      operator.process(port, tuple);
    },
  };
  return {
    passed: () => channel.received,
    attach() {
      channel.receiver = receiver;
    },
    detach() {
      channel.receiver = operator;
    },
  };
}

function outputTap(node: OperatorNode, name: string, see: (tuple: unknown) => void): Tap | undefined {
  const port = node.outputs.get(name);
  if (!port) return undefined;
  const sink: Sink = { put: see, begin() {}, end() {}, eos() {} };
  let takeOff: (() => void) | undefined;
  return {
    passed: () => port.count,
    attach() {
      takeOff ??= port.tap(sink);
    },
    detach() {
      takeOff?.();
      takeOff = undefined;
    },
  };
}
