import { HALF_SIDE, type Shape } from './shape.ts';

interface Point {
  readonly x: number;
  readonly y: number;
}

interface Picture {
  readonly width: number;
  readonly height: number;
  readonly background: string;
  readonly text: string;
  readonly edge: string;
  readonly nodes: readonly (Point & {
    readonly label: string;
    readonly color: string;
    readonly size: number;
    readonly shape?: Shape;
  })[];
  readonly edges: readonly {
    readonly from: Point;
    readonly to: Point;
    readonly color?: string;
    readonly isDashed?: boolean;
  }[];
}

/** A graph as an SVG document; names are escaped. */
export function svgOf({ width, height, background, text, edge, nodes, edges }: Picture): string {
  const lines = edges.map(({ from, to, color, isDashed }) => {
    const edgeStyle = `${color === undefined ? '' : ` stroke="${escaped(color)}"`}${isDashed === true ? ' stroke-dasharray="4 3"' : ''}`;
    return `<line x1="${fixed(from.x)}" y1="${fixed(from.y)}" x2="${fixed(to.x)}" y2="${fixed(to.y)}"${edgeStyle}/>`;
  });
  const marks = nodes.map(({ x, y, size, color, shape }) => {
    if (shape !== 'square')
      return `<circle cx="${fixed(x)}" cy="${fixed(y)}" r="${fixed(size)}" fill="${escaped(color)}"/>`;
    const half = size * HALF_SIDE;
    return `<rect x="${fixed(x - half)}" y="${fixed(y - half)}" width="${fixed(half * 2)}" height="${fixed(half * 2)}" fill="${escaped(color)}"/>`;
  });
  const labels = nodes.map(
    ({ x, y, size, label }) => `<text x="${fixed(x + size + 3)}" y="${fixed(y + 4)}">${escaped(label)}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">`,
    `<rect width="100%" height="100%" fill="${escaped(background)}"/>`,
    `<g stroke="${escaped(edge)}">${lines.join('')}</g>`,
    `<g>${marks.join('')}</g>`,
    `<g font-family="system-ui, sans-serif" font-size="12" fill="${escaped(text)}">${labels.join('')}</g>`,
    '</svg>',
  ].join('\n');
}

function fixed(value: number): string {
  return value.toFixed(1);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
/** XML 1.0 forbids control characters except tab and line breaks, even if escaped. */
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escaped(text: string): string {
  return text.replace(FORBIDDEN, '\ufffd').replace(/[&<>"']/g, (found) => ESCAPES[found] ?? '');
}
