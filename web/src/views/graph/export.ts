import { saveBlob } from '../../components/save.ts';
import type { Shape } from './shape.ts';
import type { GraphRenderer } from './renderer.ts';
import { svgOf } from './svg.ts';

/** Exports the visible part as a PNG with all layers. */
export async function savePng(renderer: GraphRenderer): Promise<void> {
  const { sigma } = renderer;
  // WebGL discards its buffer after the frame, so render again and read it immediately.
  sigma.refresh();
  const canvas = document.createElement('canvas');
  const layers = Object.values(sigma.getCanvases());
  canvas.width = Math.max(...layers.map(({ width }) => width));
  canvas.height = Math.max(...layers.map(({ height }) => height));
  const context = canvas.getContext('2d');
  if (context === null) return;
  context.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--bg');
  context.fillRect(0, 0, canvas.width, canvas.height);
  for (const layer of layers) {
    context.globalAlpha = Number(layer.style.opacity || '1');
    context.drawImage(layer, 0, 0);
  }
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (blob !== null) saveBlob(blob, 'limbic-graph.png');
}

/** Exports the whole graph as an SVG. */
export function saveSvg(renderer: GraphRenderer): void {
  const { sigma, graph } = renderer;
  const style = getComputedStyle(document.documentElement);
  const value = (name: string): string => style.getPropertyValue(name).trim();
  const { width, height } = sigma.getDimensions();
  const at = new Map(
    graph.mapNodes((key) => [key, sigma.graphToViewport(graph.getNodeAttributes(key) as { x: number; y: number })]),
  );
  const svg = svgOf({
    width,
    height,
    background: value('--bg'),
    text: value('--text'),
    edge: value('--graph-edge'),
    nodes: graph.mapNodes((key, { label, color, size, type }) => ({
      ...(at.get(key) ?? { x: 0, y: 0 }),
      label: String(label),
      color: String(color),
      shape: type as Shape,
      size: sigma.scaleSize(Number(size)),
    })),
    edges: graph.mapEdges((_key, { color, edgeStyle }, from, to) => ({
      from: at.get(from) ?? { x: 0, y: 0 },
      to: at.get(to) ?? { x: 0, y: 0 },
      color: String(color),
      isDashed: edgeStyle === 'mention' || edgeStyle === 'likely',
    })),
  });
  saveBlob(new Blob([svg], { type: 'image/svg+xml' }), 'limbic-graph.svg');
}
