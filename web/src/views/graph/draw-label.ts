import type { NodeLabelDrawingFunction } from 'sigma/rendering';
import type { StageColors } from './stage.ts';

const CHARACTERS_MAX = 36;
const RIM = 3;

/** A name as the graph shows it. */
export function shortened(name: string): string {
  const characters = [...name];
  return characters.length <= CHARACTERS_MAX ? name : `${characters.slice(0, CHARACTERS_MAX - 1).join('')}…`;
}

/** Writes text with a rim in the colour of the ground, so that it can be read over nodes and lines. */
export function writeRimmed(context: CanvasRenderingContext2D, text: string, x: number, y: number, { ground, text: color }: StageColors): void {
  context.lineWidth = RIM;
  context.lineJoin = 'round';
  context.strokeStyle = ground;
  context.strokeText(text, x, y);
  context.fillStyle = color;
  context.fillText(text, x, y);
}

export function drawLabel(colors: StageColors): NodeLabelDrawingFunction {
  return (context, { x, y, size, label }, { labelSize, labelFont }) => {
    if (typeof label !== 'string' || label === '') return;
    context.font = `${labelSize}px ${labelFont}`;
    writeRimmed(context, shortened(label), x + size + 3, y + labelSize / 3, colors);
  };
}
