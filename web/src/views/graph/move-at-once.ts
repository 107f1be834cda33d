import type Sigma from 'sigma';

/** Makes a camera move without animation, for people who prefer reduced motion. */
export function moveAtOnce(camera: ReturnType<Sigma['getCamera']>): void {
  const animate = camera.animate.bind(camera) as (...args: unknown[]) => unknown;
  const atOnce = (state: unknown, options?: object, callback?: unknown): unknown =>
    // Sigma divides by the duration.
    animate(state, { ...options, duration: 1 }, callback);
  camera.animate = atOnce as typeof camera.animate;
}
