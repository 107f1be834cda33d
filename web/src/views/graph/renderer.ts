import Graph from 'graphology';
import { EdgeArrowProgram, EdgeLineProgram, NodeCircleProgram } from 'sigma/rendering';
import { getCorrectionRatio } from 'sigma/utils';
import type { Selection } from '../../app/route.ts';
import { drawHover } from './draw-hover.ts';
import { communitiesOf } from './communities.ts';
import { Labels, type WrittenNode } from './draw-label.ts';
import { Layout } from './layout.ts';
import { type RankedNode, rankedNodes } from './label-rank.ts';
import { DottedArrowProgram } from './dotted-program.ts';
import { memoryKey, type ShownGraph } from './model.ts';
import { HighlightLayer } from './highlight-layer.ts';
import { type EdgeStyle, edgeStyleOf, type Paint, shrinkOf, sizeOf } from './paint.ts';
import { Pins, type Position } from './pins.ts';
import { moveAtOnce } from './move-at-once.ts';
import { QuickSigma } from './quick-sigma.ts';
import type { Line } from './place-labels.ts';
import type { Shape } from './shape.ts';
import { NodeSquareProgram } from './square-program.ts';
import type { RendererColors } from './renderer-colors.ts';

export interface RendererEvents {
  readonly onselect: (record: Selection | undefined) => void;
  readonly onopen: (record: Selection) => void;
  readonly onsettled: (isDone: boolean) => void;
}

/** Maximum number of edges with arrow heads. */
const MAX_ARROWS = 600;
/** Width of calls, whose dots must be visible. */
const CALL_SIZE = 2;
/** Number of edges above which edges are drawn fainter. */
const DENSE_LINES = 3000;
/** Minimum size of a labelled node in screen pixels; smaller nodes that are not hubs have a label only on hover. */
const MIN_LABELLED_SIZE = 6;
/** Up to this number of nodes, all nodes get labels, as far as there is space. */
const ALL_LABELLED_NODES = 60;
/** Up to this number of nodes, no label covers another node. */
const MAX_UNCOVERED_NODES = 1000;
/** Area of the canvas per label in larger graphs, in square pixels, so that labels stay readable. */
const LABEL_PIXELS = 12_000;
/** Maximum number of labels that are tried per frame. */
const MAX_LABELS_TRIED = 600;
/** Maximum number of nodes for community detection. */
const MAX_COMMUNITY_NODES = 2000;
/** Maximum ratio by which the layout is stretched to the shape of the canvas. */
const MAX_STRETCH = 1.9;
/** Space around the graph, in screen pixels. */
const PADDING = 64;

/** The graph renderer: Sigma, graphology and the layout, without React and tools. */
export class GraphRenderer {
  readonly graph = new Graph({ type: 'directed', multi: false });
  readonly sigma: QuickSigma;
  readonly #layout: Layout;
  readonly #highlight: HighlightLayer;
  readonly #labels = new Labels();
  readonly #events: RendererEvents;
  readonly #pins = new Pins();
  readonly #pinned = new Set<string>();
  /** Sigma follows only the window's size, but panels also resize the container. */
  readonly #resizing = new ResizeObserver(() => this.sigma.scheduleRefresh());
  #colors: RendererColors;
  #hovered: string | undefined;
  #selected: string | undefined;
  #dragged: string | undefined;
  /** The position at which the node will be dropped, if the rendering is deferred. */
  #draggedTo: Position | undefined;
  #isDense = false;
  /** Label candidates, by importance. */
  #ranked: readonly RankedNode[] = [];
  #labelledSize = MIN_LABELLED_SIZE;

  constructor(container: HTMLElement, colors: RendererColors, events: RendererEvents) {
    this.#events = events;
    this.#colors = colors;
    const font = getComputedStyle(document.body).fontFamily;
    this.sigma = new QuickSigma(this.graph, container, {
      allowInvalidContainer: true,
      labelFont: font,
      labelSize: 12,
      // Labels are placed and drawn by this class: see place-labels.ts.
      renderLabels: false,
      edgeLabelFont: font,
      edgeLabelSize: 11,
      minCameraRatio: 0.02,
      maxCameraRatio: 4,
      enableCameraRotation: false,
      stagePadding: PADDING,
      nodeProgramClasses: { circle: NodeCircleProgram, square: NodeSquareProgram } satisfies Record<Shape, unknown>,
      edgeProgramClasses: { line: EdgeLineProgram, arrow: EdgeArrowProgram, dotted: DottedArrowProgram },
    });
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) moveAtOnce(this.sigma.getCamera());
    // Before the highlight layer, which must not cover these labels.
    this.sigma.on('afterRender', () => this.#writeLabels());
    this.#highlight = new HighlightLayer(this.sigma, this.graph, this.#labels, colors);
    this.setColors(colors);
    this.#layout = new Layout((isDone) => events.onsettled(isDone));
    this.#resizing.observe(container);
    this.#listen();
  }

  setColors(colors: RendererColors): void {
    this.#colors = colors;
    this.#highlight.setColors(colors);
    this.sigma.setSetting('defaultDrawNodeHover', drawHover(colors));
    // Without graphology's events, on which Sigma would repaint edges that it has not drawn yet.
    this.graph.forEachEdge((_key, edge) => {
      edge['color'] = this.#colorOf(edge['edgeStyle'] as EdgeStyle);
    });
    this.sigma.refresh();
  }

  /** Renders a graph. Existing nodes keep their positions; new ones start beside a neighbour. */
  show(shown: ShownGraph, paint: Paint): void {
    const { graph } = this;
    const { nodes, edges } = shown;
    const communityOf = nodes.length > MAX_COMMUNITY_NODES ? {} : communitiesOf(shown);
    const keys = new Set(nodes.map(({ key }) => key));
    const before = graph.order;
    graph.forEachNode((key) => {
      if (!keys.has(key)) graph.dropNode(key);
    });
    let isChanged = graph.order !== before;
    const isOther = graph.order === 0 && nodes.length <= MAX_COMMUNITY_NODES;
    graph.clearEdges();
    const neighbour = new Map<string, string>();
    for (const { from, to } of edges) {
      if (graph.hasNode(from)) neighbour.set(to, from);
      if (graph.hasNode(to)) neighbour.set(from, to);
    }
    const shrink = shrinkOf(nodes.length);
    for (const node of nodes) {
      const type: Shape = node.kind === 'memory' ? 'square' : 'circle';
      const edgeStyle = {
        kind: node.kind,
        id: node.id,
        type,
        label: node.name,
        color: paint.colorOf(node),
        size: sizeOf(node) * shrink,
        community: communityOf[node.key] ?? 0,
      };
      if (graph.hasNode(node.key)) graph.mergeNodeAttributes(node.key, edgeStyle);
      else {
        isChanged = true;
        const pin = this.#pins.get(pinName(node));
        if (pin !== undefined) this.#pinned.add(node.key);
        graph.addNode(node.key, {
          ...edgeStyle,
          ...(pin ?? this.#place(node.key, neighbour.get(node.key), nodes.length)),
        });
      }
    }
    this.#isDense = edges.length > DENSE_LINES;
    const hasArrows = edges.length <= MAX_ARROWS;
    for (const edge of edges) {
      const { from, to, types } = edge;
      const edgeStyle = edgeStyleOf(edge);
      const type = edgeStyle === 'likely' ? 'dotted' : hasArrows && edgeStyle !== 'mention' ? 'arrow' : 'line';
      graph.addEdge(from, to, {
        types,
        edgeStyle,
        type,
        size:
          edge.kind === 'call'
            ? CALL_SIZE
            : hasOwnColor(edgeStyle)
              ? 1.8
              : this.#isDense || edgeStyle === 'mention'
                ? 0.5
                : type === 'line'
                  ? 0.6
                  : 1.2,
        color: this.#colorOf(edgeStyle),
      });
    }
    this.#ranked = rankedNodes(nodes);
    this.#labelledSize = nodes.length <= ALL_LABELLED_NODES ? 0 : MIN_LABELLED_SIZE * shrink;
    if (isChanged) this.#arrange(isOther);
    else this.sigma.refresh();
  }

  /** Runs the layout again. */
  arrange(): void {
    this.#arrange(this.graph.order <= MAX_COMMUNITY_NODES);
  }

  #arrange(startsAnew: boolean): void {
    this.#events.onsettled(false);
    const { width, height } = this.sigma.getDimensions();
    const shape = height === 0 ? 1 : width / height;
    // The scale at which Sigma fits the graph into its container.
    const scaleOf = (wide: number, high: number): number =>
      ((Math.min(width, height) - 2 * PADDING) * getCorrectionRatio({ width, height }, { width: wide, height: high })) /
      Math.max(wide, high);
    const stretch = Math.min(MAX_STRETCH, Math.max(1 / MAX_STRETCH, shape));
    this.#layout.run(this.graph, this.#pinned, stretch, scaleOf, startsAnew);
  }

  select(record: Selection | undefined): void {
    this.#selected = record === undefined ? undefined : this.keyOf(record);
    this.#point();
  }

  keyOf({ kind, id: wanted }: Selection): string | undefined {
    if (kind === 'memory') return this.graph.hasNode(memoryKey(wanted)) ? memoryKey(wanted) : undefined;
    return this.graph.findNode((_key, node) => node['id'] === wanted && node['kind'] === kind);
  }

  /** Locks or unlocks the position of a node. Returns whether it is locked. */
  togglePin(record: Selection): boolean {
    const key = this.keyOf(record);
    if (key === undefined) return false;
    if (this.#pinned.delete(key)) this.#pins.delete(pinName(record));
    else this.#pin(key);
    return this.#pinned.has(key);
  }

  isPinned(record: Selection): boolean {
    const key = this.keyOf(record);
    return key !== undefined && this.#pinned.has(key);
  }

  end(): void {
    this.#resizing.disconnect();
    this.#layout.end();
    this.sigma.kill();
  }

  #writeLabels(): void {
    this.#labels.clear();
    const context = this.sigma.getCanvases()['labels']?.getContext('2d');
    if (context === null || context === undefined) return;
    const { width, height } = this.sigma.getDimensions();
    const written: WrittenNode[] = [];
    for (const { key, rank } of this.#ranked) {
      if (written.length >= MAX_LABELS_TRIED) break;
      if (rank === 'other' && this.#radius(key) < this.#labelledSize) continue;
      const { x, y, radius } = this.#drawn(key);
      if (x < 0 || y < 0 || x > width || y > height) continue;
      written.push({ x, y, radius, rank, label: String(this.graph.getNodeAttribute(key, 'label')) });
    }
    const font = { family: this.sigma.getSetting('labelFont'), size: this.sigma.getSetting('labelSize') };
    const labelsMax = this.#labelledSize === 0 ? ALL_LABELLED_NODES : (width * height) / LABEL_PIXELS;
    const picture = { width, height, obstacles: this.#obstacles(), labelsMax };
    this.#labels.write(context, written, picture, this.#colors, font);
  }

  /**
   * The areas of nodes that labels should not cover; none for very many nodes, where the check takes long and cannot
   * succeed.
   */
  #obstacles(): readonly Line[] {
    if (this.graph.order > MAX_UNCOVERED_NODES) return [];
    return this.graph.mapNodes((key) => {
      const { x, y, radius } = this.#drawn(key);
      return { left: x - radius, right: x + radius, y, height: radius * 2 };
    });
  }

  /** The viewport position of a node. */
  #drawn(key: string): Position & { readonly radius: number } {
    const { x = 0, y = 0 } = this.sigma.getNodeDisplayData(key) ?? {};
    return { ...this.sigma.framedGraphToViewport({ x, y }), radius: this.#radius(key) };
  }

  #radius(key: string): number {
    return this.sigma.scaleSize(this.sigma.getNodeDisplayData(key)?.size ?? 0);
  }

  #pin(key: string): void {
    this.#pinned.add(key);
    const { kind, id, x, y } = this.graph.getNodeAttributes(key) as Position & Selection;
    this.#pins.set(pinName({ kind, id }), { x, y });
  }

  #listen(): void {
    const { sigma } = this;
    const record = (key: string): Selection => {
      const { kind, id } = this.graph.getNodeAttributes(key) as Selection;
      return { kind, id };
    };
    sigma.on('clickNode', ({ node }) => this.#events.onselect(record(node)));
    sigma.on('doubleClickNode', ({ node, preventSigmaDefault }) => {
      preventSigmaDefault();
      this.#events.onopen(record(node));
    });
    sigma.on('clickStage', () => this.#events.onselect(undefined));
    sigma.on('enterNode', ({ node }) => this.#hover(node));
    sigma.on('leaveNode', () => this.#hover(undefined));
    sigma.on('downNode', ({ node }) => {
      this.#dragged = node;
      // The view must not be refitted while a node is dragged.
      if (sigma.getCustomBBox() === null) sigma.setCustomBBox(sigma.getBBox());
    });
    sigma.on('moveBody', ({ event }) => {
      if (this.#dragged === undefined) return;
      this.#layout.stop();
      this.#drag(this.#dragged, event);
      event.preventSigmaDefault();
      event.original.preventDefault();
    });
    const drop = (): void => {
      if (this.#dragged === undefined) return;
      if (this.#draggedTo !== undefined) this.graph.mergeNodeAttributes(this.#dragged, this.#draggedTo);
      if (this.#pinned.has(this.#dragged)) this.#pin(this.#dragged);
      this.#highlight.move(undefined);
      this.#dragged = undefined;
      this.#draggedTo = undefined;
      // Hover events during the drag are ignored.
      this.#hover(undefined);
    };
    sigma.on('upNode', drop);
    sigma.on('upStage', drop);
  }

  /** If rendering is slow, only the node and its edges move until it is dropped. */
  #drag(key: string, at: Position): void {
    this.#pinned.add(key);
    const place = this.sigma.viewportToGraph(at);
    if (this.sigma.isSlow) {
      this.#draggedTo = place;
      this.#highlight.move({ key, x: at.x, y: at.y });
    } else {
      this.#draggedTo = undefined;
      this.#highlight.move(undefined);
      this.graph.mergeNodeAttributes(key, place);
    }
  }

  #hover(key: string | undefined): void {
    // The dragged node stays highlighted.
    if (this.#dragged !== undefined) return;
    this.#hovered = key;
    this.#point();
  }

  /** Highlights the hovered node or, without one, the selected node. */
  #point(): void {
    const key = this.#hovered ?? this.#selected;
    this.#highlight.show(key === undefined ? undefined : { key, dims: this.#hovered !== undefined }, this.#selected);
  }

  #colorOf(edgeStyle: EdgeStyle): string {
    if (hasOwnColor(edgeStyle)) return this.#colors[edgeStyle];
    if (edgeStyle === 'faded') return this.#colors.faded;
    return this.#isDense || edgeStyle === 'mention' ? this.#colors.dense : this.#colors.edge;
  }

  /** A deterministic initial position: beside a neighbour, or on a disc by key. */
  #place(key: string, neighbour: string | undefined, order: number): Position {
    const number = numberOf(key);
    const turn = number * 2.399963;
    if (neighbour !== undefined && this.graph.hasNode(neighbour)) {
      const { x, y } = this.graph.getNodeAttributes(neighbour) as Position;
      return { x: x + Math.cos(turn) * 6, y: y + Math.sin(turn) * 6 };
    }
    const radius = 10 * Math.sqrt(((number * 0.618034) % 1) * order);
    return { x: Math.cos(turn) * radius, y: Math.sin(turn) * radius };
  }
}

/** Edge styles with a colour of their own. */
function hasOwnColor(edgeStyle: EdgeStyle): edgeStyle is 'supports' | 'contradicts' | 'supersedes' {
  return edgeStyle === 'supports' || edgeStyle === 'contradicts' || edgeStyle === 'supersedes';
}

/** An entity and a memory may have the same name. */
function pinName({ kind, id }: Selection): string {
  return `${kind}:${id}`;
}

/** A deterministic number for a key: the id of an entity, or a hash of a memory's id. */
function numberOf(key: string): number {
  const number = Number(key);
  if (!Number.isNaN(number)) return number;
  let mixed = 0;
  for (let at = 0; at < key.length; at += 1) mixed = (Math.imul(mixed, 31) + key.charCodeAt(at)) >>> 0;
  return mixed % 100_000;
}
