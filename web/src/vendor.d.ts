declare module 'graphology-layout-forceatlas2/iterate.js' {
  /** One step of ForceAtlas2 on tables of nodes and edges, in place. */
  const iterate: (settings: object, nodes: Float32Array, edges: Float32Array) => object;
  // The package has no named export.
  export default iterate;
}
