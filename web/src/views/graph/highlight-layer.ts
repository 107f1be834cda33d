import type Graph from 'graphology';
import type Sigma from 'sigma';
import { drawHover } from './draw-hover.ts';
import { leftOf, Labels, shortened, writeOutlined } from './draw-label.ts';
import { pathOf, type Shape } from './shape.ts';
import type { RendererColors } from './renderer-colors.ts';

const LAYER = 'near';
/** Opacity of the layers behind the highlight. */
const DIMMED = '0.18';
const DIMMED_LAYERS = ['edges', 'nodes', 'labels', 'edgeLabels'];
/** Maximum number of edge labels around a node. */
const MAX_EDGE_LABELS = 14;
/** Dashes of an edge to a mentioned entity, and of a call that is not certain. */
const DASH = [4, 3];
/** Maximum number of names around a node. */
const MAX_NAMES = 60;

/** The highlighted node. */
export interface Centre {
  readonly key: string;
  /** Whether the rest of the graph is dimmed. */
  readonly dims: boolean;
}

/**
 * A layer above the graph with one node, its edges and its neighbours.
 *
 * The rest is dimmed as a whole, so the cost of highlighting does not depend on the size of the graph.
 */
export class HighlightLayer {
  readonly #sigma: Sigma;
  readonly #graph: Graph;
  readonly #labels: Labels;
  #centre: Centre | undefined;
  #selected: string | undefined;
  #moved: { readonly key: string; readonly x: number; readonly y: number } | undefined;
  #colors: RendererColors;

  constructor(sigma: Sigma, graph: Graph, labels: Labels, colors: RendererColors) {
    this.#sigma = sigma;
    this.#graph = graph;
    this.#labels = labels;
    this.#colors = colors;
    sigma.createCanvasContext(LAYER, { style: { pointerEvents: 'none' } });
    const { [LAYER]: canvas, hovers } = sigma.getCanvases();
    if (canvas !== undefined && hovers !== undefined) hovers.before(canvas);
    // A new layer gets its size at the next resize.
    sigma.resize(true);
    sigma.on('afterRender', () => this.#draw());
  }

  setColors(colors: RendererColors): void {
    this.#colors = colors;
  }

  /** Highlights a node and its neighbours, or nothing, and marks the selected node. */
  show(centre: Centre | undefined, selected: string | undefined): void {
    this.#centre = centre;
    this.#selected = selected;
    const { dims = false } = centre ?? {};
    const canvases = this.#sigma.getCanvases();
    for (const layer of DIMMED_LAYERS) {
      const canvas = canvases[layer];
      if (canvas !== undefined) canvas.style.opacity = dims ? DIMMED : '';
    }
    this.#draw();
  }

  /** Shows a node at another position in the viewport, while it is dragged. */
  move(moved: { readonly key: string; readonly x: number; readonly y: number } | undefined): void {
    this.#moved = moved;
    this.#draw();
  }

  #draw(): void {
    const canvas = this.#sigma.getCanvases()[LAYER];
    const context = canvas?.getContext('2d');
    if (canvas === undefined || context === null || context === undefined) return;
    const { width, height } = this.#sigma.getDimensions();
    context.clearRect(0, 0, width, height);
    if (this.#centre === undefined || !this.#graph.hasNode(this.#centre.key)) return;
    const { key, dims } = this.#centre;
    this.#drawEdges(context, key, dims ? new Labels() : this.#labels.copy());
    if (dims) this.#drawNodes(context, key);
    if (this.#moved !== undefined && this.#graph.hasNode(this.#moved.key)) this.#mark(context, this.#moved.key);
    if (this.#selected !== undefined && this.#graph.hasNode(this.#selected)) this.#mark(context, this.#selected);
  }

  /** Edge labels are drawn where there is space. */
  #drawEdges(context: CanvasRenderingContext2D, centre: string, labels: Labels): void {
    const isLabelled = this.#graph.degree(centre) <= MAX_EDGE_LABELS;
    context.strokeStyle = this.#colors.accent;
    context.lineWidth = 1.5;
    context.font = this.#font('edge');
    context.textAlign = 'center';
    this.#graph.forEachEdge(centre, (_key, { types, edgeStyle }, source, target) => {
      const from = this.#place(source);
      const to = this.#place(target);
      const length = Math.hypot(to.x - from.x, to.y - from.y);
      if (length <= from.size + to.size) return;
      const [x, y] = [(to.x - from.x) / length, (to.y - from.y) / length];
      context.beginPath();
      context.moveTo(from.x + x * from.size, from.y + y * from.size);
      context.lineTo(to.x - x * to.size, to.y - y * to.size);
      context.setLineDash(edgeStyle === 'mention' || edgeStyle === 'likely' ? DASH : []);
      context.stroke();
      const text = shortened((types as string[]).join(', '));
      const [middle, level, half] = [(from.x + to.x) / 2, (from.y + to.y) / 2, context.measureText(text).width / 2];
      if (
        isLabelled &&
        labels.takes({
          left: middle - half,
          right: middle + half,
          y: level,
          height: this.#sigma.getSetting('edgeLabelSize'),
        })
      )
        this.#text(context, text, middle, level);
    });
    context.setLineDash([]);
    context.textAlign = 'left';
  }

  #drawNodes(context: CanvasRenderingContext2D, centre: string): void {
    const near = [...new Set([...this.#graph.neighbors(centre), centre])];
    for (const key of near) {
      const { x, y, size } = this.#place(key);
      const { color, type } = this.#graph.getNodeAttributes(key);
      pathOf(context, type, x, y, size);
      context.fillStyle = String(color);
      context.fill();
    }
    if (near.length > MAX_NAMES) return;
    context.font = this.#font('node');
    for (const key of near) {
      const { x, y, size } = this.#place(key);
      if (key === centre) continue;
      const name = shortened(String(this.#graph.getNodeAttribute(key, 'label')));
      this.#text(context, name, leftOf(context, x, size + 3, context.measureText(name).width), y);
    }
  }

  #mark(context: CanvasRenderingContext2D, key: string): void {
    const { label, color, type } = this.#graph.getNodeAttributes(key) as { label: string; color: string; type: Shape };
    drawHover(this.#colors)(context, { ...this.#place(key), label, color, type }, this.#sigma.getSettings());
  }

  #text(context: CanvasRenderingContext2D, text: string, x: number, y: number): void {
    context.save();
    writeOutlined(context, shortened(text), x, y + 4, this.#colors);
    context.restore();
  }

  #place(key: string): { x: number; y: number; size: number } {
    const { x, y, size } = this.#graph.getNodeAttributes(key) as { x: number; y: number; size: number };
    const { x: left, y: top } = this.#moved?.key === key ? this.#moved : this.#sigma.graphToViewport({ x, y });
    return { x: left, y: top, size: this.#sigma.scaleSize(size) };
  }

  #font(of: 'node' | 'edge'): string {
    const name = this.#sigma.getSetting('labelFont');
    return `${this.#sigma.getSetting(of === 'node' ? 'labelSize' : 'edgeLabelSize')}px ${name}`;
  }
}
