export function Spark({ values, colour }: { values: number[]; colour: string }) {
  if (values.length < 2) return <svg class="spark" viewBox="0 0 120 26" aria-hidden="true" />
  const low = Math.min(...values),
    high = Math.max(...values),
    range = high - low || 1
  const at = values.map((v, i) => `${((i / (values.length - 1)) * 120).toFixed(1)} ${(24 - ((v - low) / range) * 22).toFixed(1)}`)
  const line = 'M' + at.join('L')
  return (
    <svg class="spark" viewBox="0 0 120 26" preserveAspectRatio="none" aria-hidden="true">
      <path d={line + 'L120 26L0 26Z'} fill={colour} opacity=".1" />
      <path d={line} fill="none" stroke={colour} stroke-width="1.5" vector-effect="non-scaling-stroke" stroke-linejoin="round" />
    </svg>
  )
}
