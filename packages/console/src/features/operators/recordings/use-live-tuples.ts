import { useEffect, useState } from 'react';
import { topics } from '../../../gateway/topics.js';
import { added, emptyBuffer, type TupleBuffer } from './tuples.js';

const most = 1000;

/** Tuples as they are recorded, drawn at most once a frame; the newest thousand of them. */
export function useLiveTuples(topic: string): TupleBuffer {
  const [buffer, setBuffer] = useState<TupleBuffer>(emptyBuffer);
  useEffect(() => {
    let waiting: string[] = [];
    let frame: number | undefined;
    const draw = () => {
      const texts = waiting;
      waiting = [];
      frame = undefined;
      setBuffer((before) => added(before, texts, most));
    };
    const leave = topics.each(topic, ({ text }) => {
      waiting.push(text);
      frame ??= requestAnimationFrame(draw);
    });
    return () => {
      leave();
      if (frame !== undefined) cancelAnimationFrame(frame);
    };
  }, [topic]);
  return buffer;
}
