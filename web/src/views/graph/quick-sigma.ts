import Sigma from 'sigma';
import type { CameraState, Coordinates } from 'sigma/types';

/** A frame that takes longer than this is felt. */
const SLOW_MILLIS = 45;
/** After so many slow frames the machine counts as slow. */
const SLOW_FRAMES = 2;
/** As many quick frames, beyond those, make it count as fast again. */
const SLOW_FRAMES_MAX = 6;
/** The picture is drawn anew when the camera has rested for so long. */
const REST_MILLIS = 220;
/** Takes the mouse, and never moves. */
const STILL_LAYER = 'mouse';

type Override = NonNullable<Parameters<Sigma['viewportToFramedGraph']>[1]>;

/**
 * Sigma that stays smooth where drawing is slow, as without a graphics card: while the camera moves it shifts and
 * scales the last picture, and draws anew when the camera rests.
 */
export class QuickSigma extends Sigma {
  // Declared only: the constructor of Sigma calls methods below before fields of this class would have values.
  declare private slowFrames: number | undefined;
  declare private isDirty: boolean | undefined;
  declare private isShifted: boolean | undefined;
  declare private drawn: CameraState | undefined;
  declare private resting: ReturnType<typeof setTimeout> | undefined;

  constructor(...args: ConstructorParameters<typeof Sigma>) {
    super(...args);
    this.on('beforeRender', () => this.#begin());
  }

  /** Whether drawing anew is felt. */
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

  /** While the picture is shifted, sigma's own matrix is that of the picture, not of the camera. */
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
    // The next frame waits for the graphics, which work on after this returns.
    requestAnimationFrame(() => requestAnimationFrame(() => this.#note(performance.now() - startMillis)));
  }

  #note(twoFramesMillis: number): void {
    const slow = this.slowFrames ?? 0;
    this.slowFrames = twoFramesMillis > SLOW_MILLIS * 2 ? Math.min(slow + 1, SLOW_FRAMES_MAX) : Math.max(0, slow - 1);
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
