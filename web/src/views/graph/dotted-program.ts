import {
  createEdgeCompoundProgram,
  EdgeArrowHeadProgram,
  EdgeClampedProgram,
  type EdgeProgramType,
  type EdgeRectangleProgram,
} from 'sigma/rendering';

/** Sigma declares the class with a constructor only; it has the methods of other programs. */
const ClampedProgram = EdgeClampedProgram as unknown as typeof EdgeRectangleProgram;

/** Draws the line of an edge with gaps. */
class DottedLineProgram extends ClampedProgram {
  override getDefinition(): ReturnType<EdgeRectangleProgram['getDefinition']> {
    return { ...super.getDefinition(), FRAGMENT_SHADER_SOURCE: DOTTED };
  }
}

/** Draws edges as dotted arrows. */
export const DottedArrowProgram = createEdgeCompoundProgram([
  DottedLineProgram as unknown as EdgeProgramType,
  EdgeArrowHeadProgram,
]);

/** Length of a dot and of a gap, in device pixels. */
const PERIOD = 8;
const DOT = 4;

// The normal has opposite signs on the two sides of the line; the direction must not depend on the side.
const DOTTED = `
precision highp float;

varying vec4 v_color;
varying vec2 v_normal;
varying float v_thickness;
varying float v_feather;

const vec4 transparent = vec4(0.0, 0.0, 0.0, 0.0);

void main(void) {
  #ifdef PICKING_MODE
  gl_FragColor = v_color;
  #else
  bool isFlat = abs(v_normal.x) > abs(v_normal.y);
  float side = (isFlat ? v_normal.x : v_normal.y) < 0.0 ? -1.0 : 1.0;
  vec2 normal = side * v_normal / max(length(v_normal), 0.0001);
  float along = dot(gl_FragCoord.xy, vec2(-normal.y, normal.x));
  if (mod(along, ${PERIOD.toFixed(1)}) > ${DOT.toFixed(1)}) discard;
  float distance = length(v_normal) * v_thickness;
  gl_FragColor = mix(v_color, transparent, smoothstep(v_thickness - v_feather, v_thickness, distance));
  #endif
}
`;
