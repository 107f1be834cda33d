import { NodeCircleProgram } from 'sigma/rendering';
import { HALF_SIDE } from './shape.ts';

/** Draws nodes as squares. */
export class NodeSquareProgram extends NodeCircleProgram {
  override getDefinition(): ReturnType<NodeCircleProgram['getDefinition']> {
    return { ...super.getDefinition(), FRAGMENT_SHADER_SOURCE: SQUARE };
  }
}

const SQUARE = `
precision highp float;

varying vec4 v_color;
varying vec2 v_diffVector;
varying float v_radius;

uniform float u_correctionRatio;

const vec4 transparent = vec4(0.0, 0.0, 0.0, 0.0);

void main(void) {
  float border = u_correctionRatio * 2.0;
  float reach = max(abs(v_diffVector.x), abs(v_diffVector.y));
  float dist = reach - v_radius * ${HALF_SIDE.toFixed(4)} + border;
  float t = clamp(dist / border, 0.0, 1.0);

  #ifdef PICKING_MODE
  gl_FragColor = dist > border ? transparent : v_color;
  #else
  gl_FragColor = mix(v_color, transparent, t);
  #endif
}
`;
