declare module 'world-atlas/countries-50m.json' {
  // The bundle has an SVG path for each country code. Land without a code has the empty code.
  const shapes: Record<string, string>
  export default shapes
}
