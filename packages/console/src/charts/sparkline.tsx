import { useEffect, useRef } from 'react';

/** The last points of one figure, without axes: what it was stands beside it in digits. `points`: oldest first, `undefined` is a gap. */
export function Sparkline({
  points,
  width = 60,
  height = 18,
}: {
  readonly points: readonly (number | undefined)[];
  readonly width?: number;
  readonly height?: number;
}) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current;
    const context = canvas?.getContext('2d');
    if (!canvas || !context) return;
    const scale = devicePixelRatio;
    canvas.width = width * scale;
    canvas.height = height * scale;
    context.scale(scale, scale);
    context.strokeStyle = getComputedStyle(canvas).color;
    context.lineWidth = 1.25;
    draw(context, points, width, height);
  }, [points, width, height]);
  return <canvas ref={ref} style={{ width, height, color: 'var(--series-1)' }} aria-hidden />;
}

function draw(
  context: CanvasRenderingContext2D,
  points: readonly (number | undefined)[],
  width: number,
  height: number,
): void {
  const known = points.filter((point) => point !== undefined);
  const most = Math.max(...known, 0) || 1;
  const step = width / Math.max(1, points.length - 1);
  let isDown = false;
  context.beginPath();
  points.forEach((point, index) => {
    if (point === undefined) {
      isDown = false;
      return;
    }
    const [x, y] = [index * step, height - 1 - (point / most) * (height - 2)];
    if (isDown) context.lineTo(x, y);
    else context.moveTo(x, y);
    isDown = true;
  });
  context.stroke();
}
