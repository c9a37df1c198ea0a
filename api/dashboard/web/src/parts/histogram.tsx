import type { Scored } from '../core/histogram.ts'

type Props = {
  scores: Scored[]
  threshold: number
  saved: number
  min: number
  max: number
  on?: (n: number) => void
  label: string
  says: (n: number) => string
  summary: string
}
const tall = 60 // the height of the drawing, in units of its viewBox

// Histogram shows the number of clicks for each score, 1 to 100, and the threshold. If the threshold differs from the saved one,
// the saved one is drawn too.
export function Histogram({ scores, threshold, saved, min, max, on, label, says, summary }: Props) {
  const most = Math.max(1, ...scores.map(s => s.clicks)),
    height = (n: number) => Math.max(1, (n / most) * tall)
  return (
    <div class="histogram" dir="ltr">
      <svg viewBox={`0 0 101 ${tall}`} preserveAspectRatio="none" role="img" aria-label={summary}>
        {scores
          .filter(s => s.score > 0)
          .map(s => (
            <rect
              key={s.score}
              x={s.score - 0.42}
              width=".84"
              y={tall - height(s.clicks)}
              height={height(s.clicks)}
              class={s.score >= threshold ? 'bot' : ''}
            />
          ))}
        {saved !== threshold && <line x1={saved - 0.5} x2={saved - 0.5} y1="0" y2={tall} class="was" />}
        <line x1={threshold - 0.5} x2={threshold - 0.5} y1="0" y2={tall} />
      </svg>
      <input
        type="range"
        style={`--at:${(threshold - min) / Math.max(1, max - min)};margin-left:${((min - 0.5) / 101) * 100}%;width:calc(${((max - min) / 101) * 100}% + 16px)`}
        min={min}
        max={max}
        step={1}
        value={threshold}
        disabled={!on}
        aria-label={label}
        aria-valuetext={says(threshold)}
        onInput={e => on?.(Number(e.currentTarget.value))}
      />
      <div class="scale dim num" aria-hidden="true">
        {[1, 25, 50, 75, 100].map(n => (
          <span key={n} style={`left:${(n / 101) * 100}%`}>
            {n}
          </span>
        ))}
      </div>
    </div>
  )
}
