// resolved returns a colour of the style sheet in a form that a canvas accepts.
export function resolved(name: string): string {
  const probe = document.createElement('span')
  probe.style.color = `var(${name})`
  document.body.append(probe)
  const colour = getComputedStyle(probe).color
  probe.remove()
  return colour
}

type Values = (number | null)[]

// rangesOf returns the range of each axis of a plot. All ranges contain zero, at the same height, and leave some room above the
// highest positive value.
export function rangesOf(axes: Values[][]): [number, number][] {
  const ends = axes.map(lines => {
    let low = 0,
      high = 0
    for (const line of lines)
      for (const v of line)
        if (v !== null) {
          low = Math.min(low, v)
          high = Math.max(high, v)
        }
    return { low, high, most: Math.max(-low, high) || 1 }
  })
  const below = Math.max(...ends.map(e => -e.low / e.most)),
    above = Math.max(...ends.map(e => e.high / e.most))
  return ends.map(e => [-below * e.most || 0, below || above ? above * 1.06 * e.most : 1])
}
