declare module 'world-atlas/countries-50m.json' {
  // The build replaces the module by an SVG path for each country code. Areas without a country code are under the empty code.
  const shapes: Record<string, string>
  export default shapes
}
