import { useEffect, useRef, useState } from 'preact/hooks'
import type { ComponentChildren } from 'preact'
import uPlot from 'uplot'
import { axisDate, axisDay, dayOf, hourOf, formatted, tick, type Kind } from '../core/format.ts'
import { rangesOf, resolved } from '../core/plot.ts'
import { t } from '../core/text.ts'
import { zone } from '../core/me.ts'
import { wall } from '../core/window.ts'

export type Series = {
  name: string
  kind: Kind
  colour: string
  values: (number | null)[]
  dash?: boolean
  fill?: boolean
  right?: boolean
}
// Props are the props of a plot and of its table. `open` is the index of the step that is not over yet, as openStep returns it.
type Props = {
  label: string
  times: number[]
  series: Series[]
  hours: boolean
  open?: number
  extra?: (i: number) => { name: string; text: string }[]
}
// wholeSteps lists the possible distances between two ticks on an axis of counts.
const wholeSteps = Array.from({ length: 12 }, (_, i) => [1, 2, 5].map(n => n * 10 ** i)).flat()
// Place returns the position of a moment, in px from the left.
type Place = (at: number) => number

// useTheme returns a number that changes with the colours of the page.
function useTheme() {
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    const media = matchMedia('(prefers-color-scheme: dark)'),
      turn = () => setChanges(n => n + 1)
    media.addEventListener('change', turn)
    const seen = new MutationObserver(turn)
    seen.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => {
      media.removeEventListener('change', turn)
      seen.disconnect()
    }
  }, [])
  return changes
}

type Drawn = Pick<Props, 'times' | 'series' | 'hours' | 'open'>
const plotHeight = 236 // px

// axesOf returns the time axis, and an axis of values on the left and, if a series needs it, on the right.
function axesOf({ times, series, hours }: Drawn, el: HTMLElement, font: string): uPlot.Axis[] {
  const tz = zone.value,
    stroke = resolved('--text-3'),
    line = resolved('--line'),
    length = times.at(-1)! - times[0]!,
    long = length > 16 * 864e5,
    byHour = hours && length <= 2 * 864e5
  const axis = (scale: string, side: number): uPlot.Axis => {
    const kind = kindsOf(series).get(scale),
      low = Math.min(0, ...series.filter(s => scale === (s.right ? 'r' : 'y')).flatMap(s => s.values.map(v => v ?? 0)))
    return {
      scale,
      side,
      stroke,
      font,
      size: 52,
      gap: 6,
      grid: { show: side === 3, stroke: line, width: 1 },
      ticks: { show: false },
      space: 44,
      ...(kind === 'count' ? { incrs: wholeSteps } : {}),
      values: (_, v) => v.map(n => (n < low ? '' : tick(n, kind!))),
    }
  }
  return [
    {
      stroke,
      font,
      size: 30,
      gap: 10,
      grid: { show: false },
      ticks: { show: false },
      splits: () => ticksOf(times, tz, byHour, el.clientWidth / 70),
      values: (_, v) => v.map(n => (byHour ? hourOf(n) : long ? axisDate(n) : axisDay(n))),
    },
    axis('y', 3),
    ...(kindsOf(series).has('r') ? [axis('r', 1)] : []),
  ]
}

// kindsOf returns the kind of figure on each scale: y on the left, r on the right.
const kindsOf = (series: Series[]) => new Map<string, Kind>(series.map(s => [s.right ? 'r' : 'y', s.kind]))

// nowLine returns a function that draws a dashed line at the present moment, if the plot contains it.
function nowLine(times: number[], family: string) {
  const text = resolved('--text-3'),
    strong = resolved('--line-strong')
  return (u: uPlot) => {
    const now = Date.now()
    if (now <= times[0]! || now >= times.at(-1)!) return
    const x = u.valToPos(now, 'x', true)
    u.ctx.save()
    u.ctx.strokeStyle = strong
    u.ctx.setLineDash([2, 3])
    u.ctx.beginPath()
    u.ctx.moveTo(x, u.bbox.top)
    u.ctx.lineTo(x, u.bbox.top + u.bbox.height)
    u.ctx.stroke()
    const before = x > u.bbox.left + u.bbox.width / 2,
      away = 5 * devicePixelRatio
    u.ctx.font = `${11 * devicePixelRatio}px ${family}`
    u.ctx.fillStyle = text
    u.ctx.textAlign = before ? 'right' : 'left'
    u.ctx.textBaseline = 'top'
    u.ctx.fillText(t.overview.now, x + (before ? -away : away), u.bbox.top + 2 * devicePixelRatio)
    u.ctx.restore()
  }
}

// openLine returns a function that draws the last piece of a line dashed, because the figures of its last step may still grow.
const openLine = (open: number, dash: number[]) => (u: uPlot, i: number) => {
  const { stroke, scale = 'y', width = 1, dash: isDashed } = u.series[i]!,
    from = u.data[i]![open - 1],
    to = u.data[i]![open]
  if (from == null || to == null || isDashed) return
  u.ctx.save()
  u.ctx.strokeStyle = (stroke as (u: uPlot, i: number) => string)(u, i)
  u.ctx.lineWidth = width * devicePixelRatio
  u.ctx.setLineDash(dash.map(n => n * devicePixelRatio))
  u.ctx.beginPath()
  u.ctx.moveTo(u.valToPos(u.data[0][open - 1]!, 'x', true), u.valToPos(from, scale, true))
  u.ctx.lineTo(u.valToPos(u.data[0][open]!, 'x', true), u.valToPos(to, scale, true))
  u.ctx.stroke()
  u.ctx.restore()
}

function scalesOf(series: Series[]): uPlot.Scales {
  const sides = [...kindsOf(series).keys()],
    ranges = rangesOf(sides.map(side => series.filter(s => side === (s.right ? 'r' : 'y')).map(s => s.values)))
  return Object.fromEntries(sides.map((side, i) => [side, { range: ranges[i]! }]))
}

// optionsOf returns what uPlot needs to draw the lines into el, without the hooks that Plot adds.
function optionsOf(d: Drawn, el: HTMLElement, room: number): uPlot.Options {
  const { times, series, open = 0 } = d,
    line = uPlot.paths.linear!(),
    family = getComputedStyle(el).fontFamily,
    right = kindsOf(series).has('r')
  return {
    width: el.clientWidth,
    height: plotHeight,
    padding: [room, right ? 0 : 22, 0, 0], // room for half of the last day's name
    legend: { show: false },
    scales: { x: { time: false }, ...scalesOf(series) },
    cursor: {
      y: false,
      points: {
        size: 8,
        width: 2,
        stroke: resolved('--surface'),
        fill: (u, i) => String(u.series[i]!.stroke instanceof Function ? '' : u.series[i]!.stroke) || resolved(series[i - 1]!.colour),
      },
      drag: { x: false, y: false },
    },
    axes: axesOf(d, el, '11px ' + family),
    series: [
      {},
      ...series.map((s): uPlot.Series => {
        const colour = resolved(s.colour)
        return {
          scale: s.right ? 'r' : 'y',
          stroke: colour,
          width: s.dash ? 1.3 : 2,
          dash: s.dash ? [3, 4] : undefined,
          fill: s.fill ? colour.replace('rgb(', 'rgba(').replace(')', ', .09)') : undefined,
          points: { show: times.length < 3 },
          spanGaps: false,
          ...(open && !s.dash ? { paths: (u, i, from, to) => line(u, i, from, Math.min(to, open - 1)) } : {}),
        }
      }),
    ],
    hooks: { drawAxes: [nowLine(times, family)], drawSeries: open ? [openLine(open, [2, 4])] : [] },
  }
}

type Hovered = { i: number; x: number }

// Plot shows lines over time. `over` is drawn above the plot, and gets the function that places a moment.
export function Plot({ label, times, series, hours, open, extra, over }: Props & { over?: (place: Place) => ComponentChildren }) {
  const box = useRef<HTMLDivElement>(null),
    room = over ? 30 : 10,
    [area, setArea] = useState<{ at: Place }>(),
    [hovered, setHovered] = useState<Hovered | null>(null),
    theme = useTheme()
  useEffect(() => {
    const el = box.current!,
      options = optionsOf({ times, series, hours, open }, el, room)
    const point = (u: uPlot) => {
      const i = u.cursor.idx
      setHovered(i == null || u.cursor.left! < 0 ? null : { i, x: u.bbox.left / devicePixelRatio + u.valToPos(times[i]!, 'x') })
    }
    const place = (u: uPlot) =>
      setArea({
        at: at => (u.bbox.left + Math.max(0, Math.min(u.bbox.width, u.valToPos(at, 'x') * devicePixelRatio))) / devicePixelRatio,
      })
    const chart = new uPlot(
      { ...options, hooks: { ...options.hooks, setCursor: [point], draw: [place] } },
      [times, ...series.map(s => s.values)] as uPlot.AlignedData,
      el,
    )
    const fit = new ResizeObserver(() =>
      requestAnimationFrame(() => {
        if (el.isConnected && el.clientWidth && el.clientWidth !== chart.width) chart.setSize({ width: el.clientWidth, height: plotHeight })
      }),
    )
    fit.observe(el)
    return () => {
      fit.disconnect()
      chart.destroy()
    }
  }, [times, series, hours, open, theme, room])
  const left = !!hovered && !!box.current && hovered.x > box.current.clientWidth / 2
  return (
    <div class="plotbox">
      <div ref={box} role="img" aria-label={label} />
      {area && over?.(area.at)}
      {hovered && hovered.i < times.length && <Tip of={hovered} left={left} {...{ times, series, hours, open, extra }} />}
    </div>
  )
}

type TipProps = Omit<Props, 'label'> & { of: Hovered; left: boolean }

// Tip shows the figures at the moment under the pointer, left or right of it.
const Tip = ({ of: { i, x }, left, times, series, hours, open, extra }: TipProps) => (
  <div class="tip num" style={left ? `right:calc(100% - ${x - 12}px)` : `left:${x + 12}px`}>
    <div class="dim nowrap">
      {dayOf(times[i]!)}
      {hours && ', ' + hourOf(times[i]!)}
      {i === open && ' · ' + t.overview.notOver}
    </div>
    {series.map(s => (
      <div class="row" key={s.name}>
        <span class="soft nowrap">
          <i class={s.dash ? 'sw dash' : 'sw'} style={`--c:var(${s.colour})`} />
          {s.name}
        </span>
        <span class="grow" />
        <b>{formatted(s.values[i], s.kind)}</b>
      </div>
    ))}
    {extra?.(i).map(e => (
      <div class="row" key={e.name}>
        <span class="soft">{e.name}</span>
        <span class="grow" />
        <b>{e.text}</b>
      </div>
    ))}
  </div>
)

// Legend shows the name of each line. If a dashed line and the step that is not over yet are both shown, it explains the dashes of
// this step too.
export const Legend = ({ of, open }: { of?: Series[]; open?: number }) => (
  <span class="legend">
    {of?.map(s => (
      <span key={s.name}>
        <i class={s.dash ? 'dash' : ''} style={`color:var(${s.colour})`} />
        {s.name}
      </span>
    ))}
    {open !== undefined && of?.some(s => s.dash) && (
      <span>
        <i class="dash" style={`color:var(${of[0]!.colour})`} />
        {t.overview.notOver}
      </span>
    )}
  </span>
)

// past replaces the values of future moments by null.
export const past = (times: number[], values: (number | null)[], now = Date.now()) => values.map((v, i) => (times[i]! > now ? null : v))

// endOf returns the end of a step of a plot: the beginning of the next step. The last step is taken to be as long as the one before.
const endOf = (times: number[], i: number) => times[i + 1] ?? times[i]! + (times[i]! - (times[i - 1] ?? times[i]! - 36e5))

// openStep returns the index of the step that is not over yet. It returns undefined if every step is over, or if the first step is not
// over yet.
export function openStep(times: number[], now = Date.now()) {
  const i = times.findLastIndex(at => at <= now)
  return i > 0 && now < endOf(times, i) ? i : undefined
}

// ticksOf returns the moments that have a name on the time axis: each midnight or, if byHour is true, every six hours. If there are
// too many of them, it leaves some out at even distances.
function ticksOf(times: number[], tz: string, byHour: boolean, most: number): number[] {
  const out: number[] = []
  for (const at of times) {
    const w = wall(at, tz)
    if (byHour ? w % (6 * 36e5) === 0 : w % 864e5 === 0) out.push(at)
  }
  const every = Math.ceil(out.length / Math.min(10, most))
  return out.filter((_, i) => i % every === 0)
}

type TableProps = Props & { beside?: { name: string; of: (from: number, to: number) => string } }

// AsTable shows the plot as a table, for people who cannot see the plot.
export function AsTable({ times, series, hours, open, label, beside }: TableProps) {
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="astable">
        <thead>
          <tr>
            <th class="first">{t.overview.time}</th>
            {series.map(s => (
              <th key={s.name}>{s.name}</th>
            ))}
            {beside && <th class="left">{beside.name}</th>}
          </tr>
        </thead>
        <tbody>
          {times.map((at, i) => (
            <tr key={at}>
              <td>
                {dayOf(at)}
                {hours && ', ' + hourOf(at)}
                {i === open && <small class="dim"> {t.overview.notOver}</small>}
              </td>
              {series.map(s => (
                <td key={s.name}>{formatted(s.values[i], s.kind)}</td>
              ))}
              {beside && <td class="left wrap">{beside.of(at, endOf(times, i))}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
