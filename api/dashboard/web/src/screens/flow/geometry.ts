// Computes where the rails of a flow run, pure and without DOM. The width of a rail shows the share of visitors that it carries.
import type { Destination, Path } from '../../api.gen.ts'
import { shareOf, split, type Flow, type Known } from './edit.ts'

export const width = 796
export const pathX = 112,
  landerX = 430,
  offerX = 624
const pathW = 270,
  landerW = 146,
  offerW = 172,
  startW = 74,
  startH = 84
const perPercent = 0.46, // px of a rail's width for one percent of the visitors
  leastWidth = 1.5, // px of a rail without visitors
  box = 52, // px of the height of a landing page or an offer
  gap = 12, // px between two boxes
  between = 16, // px between two paths
  top = 28 // px of the headings above the paths

export type Node = {
  key: string
  path: string
  kind: 'path' | 'lander' | 'onward'
  x: number
  y: number
  w: number
  h: number
  of?: Destination
  share: number
}
// Rail is a line between two nodes. d is its SVG path, head is its end, and from is empty for a rail from the start.
type Rail = { key: string; d: string; width: number; to: string; from: string; off: boolean; head: [number, number] }
type Layout = { height: number; start: { y: number; w: number; h: number }; nodes: Node[]; rails: Rail[] }

const curve = (x1: number, y1: number, x2: number, y2: number) => {
  const m = (x1 + x2) / 2
  return `M${x1} ${y1}C${m} ${y1} ${m} ${y2} ${x2} ${y2}`
}

// layout places the paths of a flow one below the other, in the order in which they are tried. lines returns the number of text
// lines that a path shows. share returns the share of visitors that a path takes, 0 to 1, or null while it is unknown.
export function layout(flow: Flow, known: Known, lines: (p: Path) => number, share: (p: Path) => number | null): Layout {
  const nodes: Node[] = [],
    rails: Rail[] = [],
    heights = flow.map(p => {
      const { landers, onward } = split(p, known),
        high = 42 + lines(p) * 18
      return { high, block: Math.max(high, landers.length * (box + gap) - gap, onward.length * (box + gap) - gap) }
    })
  const height = Math.max(top + startH + 20, top + heights.reduce((n, h) => n + h.block + between, 0))
  const start = { y: (height + top - between - startH) / 2, w: startW, h: startH }
  const shares = flow.map(p => share(p) ?? (p.is_active ? 1 / Math.max(1, flow.filter(o => o.is_active).length) : 0))
  const sum = shares.reduce((n, s) => n + widthOf(s), 0)
  let y = top,
    out = start.y + startH / 2 - sum / 2 // where the next rail leaves the start
  flow.forEach((p, n) => {
    const { landers, onward } = split(p, known),
      { high, block } = heights[n]!,
      mid = y + block / 2,
      s = shares[n]!,
      off = !p.is_active
    nodes.push({ key: p.id, path: p.id, kind: 'path', x: pathX, y: mid - high / 2, w: pathW, h: high, share: s })
    const leaves = out + widthOf(s) / 2
    out += widthOf(s)
    rails.push({
      key: 's' + p.id,
      d: curve(startW, leaves, pathX, mid),
      width: widthOf(s),
      from: '',
      to: p.id,
      off,
      head: [pathX, mid],
    })
    const column = (list: Destination[], kind: 'lander' | 'onward', x: number, w: number) =>
      list.map(
        (d, i): Node => ({
          key: `${p.id}/${kind}/${i}`,
          path: p.id,
          kind,
          of: d,
          x,
          w,
          h: box,
          share: shareOf(d, list),
          y: mid - (list.length * (box + gap) - gap) / 2 + i * (box + gap),
        }),
      )
    const first = column(landers, 'lander', landerX, landerW),
      second = column(onward, 'onward', offerX, offerW)
    nodes.push(...first, ...second)
    rails.push(...fan({ key: p.id, x: pathX + pathW, y: mid, share: s }, first.length ? first : second, off))
    for (const l of first) rails.push(...fan({ key: l.key, x: l.x + l.w, y: l.y + l.h / 2, share: s * l.share }, second, off))
    y += block + between
  })
  return { height, start, nodes, rails }
}

// widthOf returns the width of a rail that carries a share of the visitors.
const widthOf = (share: number) => Math.max(leastWidth, share * 100 * perPercent)

// fan returns the rails from one node to several. The rails lie side by side where they leave the node.
function fan(from: { key: string; x: number; y: number; share: number }, to: Node[], off: boolean): Rail[] {
  let upperEdge = from.y - to.reduce((n, o) => n + widthOf(from.share * o.share), 0) / 2
  return to.map(o => {
    const y = o.y + o.h / 2,
      width = widthOf(from.share * o.share),
      d = curve(from.x, upperEdge + width / 2, o.x, y)
    upperEdge += width
    return { key: from.key + '>' + o.key, d, width, from: from.key, to: o.key, off: off || o.of?.weight === 0, head: [o.x, y] }
  })
}
