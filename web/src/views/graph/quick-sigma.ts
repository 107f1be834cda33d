import Sigma from 'sigma';
import type { CameraState, Coordinates } from 'sigma/types';

/** A slower frame counts as slow. */
const SLOW_MILLIS = 45;
/** Number of slow frames after which rendering counts as slow. */
const SLOW_FRAMES = 2;
/** Maximum of that count, which fast frames reduce. */
const MAX_SLOW_FRAMES = 6;
/** Delay after the last camera movement before the graph is rendered again. */
const REST_MILLIS = 220;
/** The layer that receives mouse events and is not transformed. */
const STILL_LAYER = 'mouse';

type Override = NonNullable<Parameters<Sigma['viewportToFramedGraph']>[1]>;

/**
 * Sigma with smooth camera movement on slow machines, such as those without a graphics card: while the camera moves,
 * the last picture is shifted and scaled; it is rendered again when the camera rests.
 */
export class QuickSigma extends Sigma {
  // Declared without initialisers: Sigma's constructor calls these methods before fields are initialised.
  declare private slowFrames: number | undefined;
  declare private isDirty: boolean | undefined;
  declare private isShifted: boolean | undefined;
  declare private drawn: CameraState | undefined;
  declare private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(...args: ConstructorParameters<typeof Sigma>) {
    super(...args);
    this.on('beforeRender', () => this.#begin());
  }

  /** Whether rendering is slow. */
  get isSlow(): boolean {
    return (this.slowFrames ?? 0) >= SLOW_FRAMES;
  }

  override scheduleRender(): this {
    const camera = this.getCamera().getState();
    if (!this.isSlow || this.isDirty === true || this.drawn === undefined || isSame(this.drawn, camera))
      return super.scheduleRender();
    this.#shift(this.drawn, camera);
    clearTimeout(this.resting);
    this.resting = setTimeout(() => super.scheduleRender(), REST_MILLIS);
    return this;
  }

  override refresh(...args: Parameters<Sigma['refresh']>): this {
    this.isDirty = true;
    return super.refresh(...args);
  }

  /** While the picture is shifted, Sigma's matrix is that of the last rendering. */
  override viewportToFramedGraph(point: Coordinates, override: Override = {}): Coordinates {
    const isStale = this.isShifted === true && override.matrix === undefined;
    return super.viewportToFramedGraph(
      point,
      isStale ? { cameraState: this.getCamera().getState(), ...override } : override,
    );
  }

  override kill(): void {
    clearTimeout(this.resting);
    super.kill();
  }

  #begin(): void {
    clearTimeout(this.resting);
    if (this.isShifted === true) this.#transform('');
    this.isShifted = false;
    this.isDirty = false;
    this.drawn = this.getCamera().getState();
    const startMillis = performance.now();
    // Rendering continues asynchronously, so measure until the next frame.
    requestAnimationFrame(() => requestAnimationFrame(() => this.#note(performance.now() - startMillis)));
  }

  #note(twoFramesMillis: number): void {
    const slow = this.slowFrames ?? 0;
    this.slowFrames = twoFramesMillis > SLOW_MILLIS * 2 ? Math.min(slow + 1, MAX_SLOW_FRAMES) : Math.max(0, slow - 1);
  }

  #shift(from: CameraState, to: CameraState): void {
    const [fromA, fromB] = CORNERS.map((corner) => this.framedGraphToViewport(corner, { cameraState: from }));
    const [toA, toB] = CORNERS.map((corner) => this.framedGraphToViewport(corner, { cameraState: to }));
    if (fromA === undefined || fromB === undefined || toA === undefined || toB === undefined) return;
    const scale = (toB.x - toA.x) / (fromB.x - fromA.x);
    this.isShifted = true;
    this.#transform(`translate(${toA.x - scale * fromA.x}px, ${toA.y - scale * fromA.y}px) scale(${scale})`);
  }

  #transform(transform: string): void {
    for (const [layer, { style }] of Object.entries(this.getCanvases())) {
      if (layer === STILL_LAYER) continue;
      style.transformOrigin = '0 0';
      style.transform = transform;
    }
  }
}

const CORNERS: readonly Coordinates[] = [
  { x: 0, y: 0 },
  { x: 1, y: 1 },
];

function isSame(a: CameraState, b: CameraState): boolean {
  return a.x === b.x && a.y === b.y && a.ratio === b.ratio;
}
