import type { NodeHoverDrawingFunction } from 'sigma/rendering';
import { leftOf, shortened } from './draw-label.ts';
import { pathOf } from './shape.ts';
import type { RendererColors } from './renderer-colors.ts';

const PADDING = 4;

/** Draws the hovered or selected node, with its label on a background. */
export function drawHover({ background, text, accent }: RendererColors): NodeHoverDrawingFunction {
  return (context, { x, y, size, label: name, color, type }, { labelSize, labelFont }) => {
    const label = typeof name === 'string' ? shortened(name) : '';
    pathOf(context, type, x, y, size + 3);
    context.lineWidth = 2;
    context.strokeStyle = accent;
    context.stroke();
    if (label === '') return;
    context.font = `600 ${labelSize}px ${labelFont}`;
    const width = context.measureText(label).width;
    const left = leftOf(context, x, size + 6, width + PADDING);
    context.fillStyle = background;
    context.beginPath();
    context.roundRect(left - PADDING, y - labelSize / 2 - PADDING, width + PADDING * 2, labelSize + PADDING * 2, 4);
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = typeof color === 'string' ? color : accent;
    context.stroke();
    context.fillStyle = text;
    context.fillText(label, left, y + labelSize / 3);
  };
}
