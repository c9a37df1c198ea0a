// Computes where the boxes of a flow and the rails between them lie, without DOM. The width of a rail shows the share of visitors
// that it carries.
import type { Destination, Path } from '../../api.gen.ts'
import { shareOf, split, type Flow, type Known } from './edit.ts'

export const mostWidth = 1096, // the greatest and the smallest width of the drawing, in px
  leastWidth = 640
const fullWidth = 796 // px from which only the boxes become wider, not the spaces between the columns
const startW = 74,
  startH = 84
const perPercent = 0.46, // width in px of a rail for each percent of the visitors
  leastRail = 1.5, // smallest width in px of a rail
  box = 52, // height in px of the box of a landing page or an offer
  gap = 12, // px between two boxes
  between = 16, // px between two paths
  top = 28 // height in px of the headings above the paths

// widthIn returns the width of the drawing in a container of the given width.
export const widthIn = (box: number) => Math.max(leastWidth, Math.min(mostWidth, Math.floor(box)))

// columnsOf returns where the columns of a drawing begin, and how wide they are.
export function columnsOf(width: number) {
  const more = Math.min(1, (width - leastWidth) / (fullWidth - leastWidth)),
    wider = Math.floor(Math.max(0, width - fullWidth) / 3),
    between = (least: number, most: number) => Math.floor(least + more * (most - least))
  const path = { x: startW + between(18, 38), w: between(234, 270) + wider },
    lander = { x: path.x + path.w + between(26, 48), w: between(120, 146) + wider }
  return { path, lander, offer: { x: lander.x + lander.w + between(26, 48), w: between(142, 172) + wider } }
}

const perLetter = 6.4, // px of an average letter
  padding = 22 // px at the sides of a box

// linesIn returns the number of lines that a text takes in a box of the given width. Three letters of a line may stay empty, because a
// line ends between words.
export const linesIn = (text: string, width: number) => Math.ceil(text.length / ((width - padding) / perLetter - 3))

// Node is a box of the drawing: a path, a landing page or another destination. `share` is a number from 0 to 1. For a path, it is the
// part of all visitors that the path gets. For a destination, it is the part among the destinations of its slot, as shareOf returns it.
// `off` means that no visitor comes here.
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
  off: boolean
}
// Rail is a line between two nodes. `d` is its SVG path, `head` is its end, and `from` is empty for a rail from the start.
type Rail = { key: string; d: string; width: number; to: string; from: string; off: boolean; head: [number, number] }
type Layout = { height: number; start: { y: number; w: number; h: number }; nodes: Node[]; rails: Rail[] }

const curve = (x1: number, y1: number, x2: number, y2: number) => {
  const m = (x1 + x2) / 2
  return `M${x1} ${y1}C${m} ${y1} ${m} ${y2} ${x2} ${y2}`
}

// layout places the paths of a flow one below the other, in the order in which they are tried. `lines` returns the number of text
// lines that a path shows. `share` returns the share of visitors that a path takes, 0 to 1, or null while it is unknown.
export function layout(flow: Flow, known: Known, lines: (p: Path) => number, share: (p: Path) => number | null, width: number): Layout {
  const at = columnsOf(width),
    nodes: Node[] = [],
    rails: Rail[] = [],
    paths: Node[] = [],
    active = flow.filter(p => p.is_active).length,
    heights = flow.map(p => {
      const { landers, onward } = split(p, known),
        high = 42 + lines(p) * 18
      return { high, block: Math.max(high, landers.length * (box + gap) - gap, onward.length * (box + gap) - gap) }
    })
  const height = Math.max(top + startH + 20, top + heights.reduce((n, h) => n + h.block + between, 0)),
    start = { y: (height + top - between - startH) / 2, w: startW, h: startH }
  let y = top
  flow.forEach((p, n) => {
    const { landers, onward } = split(p, known),
      { high, block } = heights[n]!,
      middle = y + block / 2,
      off = !p.is_active,
      visitors = share(p) ?? (off ? 0 : 1 / active)
    const path: Node = { key: p.id, path: p.id, kind: 'path', ...at.path, y: middle - high / 2, h: high, share: visitors, off }
    const column = (list: Destination[], kind: 'lander' | 'onward', place: { x: number; w: number }) =>
      list.map(
        (d, i): Node => ({
          key: `${p.id}/${kind}/${i}`,
          path: p.id,
          kind,
          of: d,
          ...place,
          h: box,
          share: shareOf(d, list),
          off: off || d.weight === 0,
          y: middle - (list.length * (box + gap) - gap) / 2 + i * (box + gap),
        }),
      )
    const first = column(landers, 'lander', at.lander),
      second = column(onward, 'onward', at.offer)
    paths.push(path)
    nodes.push(path, ...first, ...second)
    rails.push(...fan(path, first.length ? first : second))
    for (const lander of first) rails.push(...fan({ ...lander, share: visitors * lander.share }, second))
    y += block + between
  })
  rails.push(...fan({ key: '', x: 0, share: 1, ...start }, paths))
  return { height, start, nodes, rails }
}

// fan returns the rails from one node to several. The rails lie side by side where they leave the node.
function fan(from: Pick<Node, 'key' | 'x' | 'y' | 'w' | 'h' | 'share'>, to: Node[]): Rail[] {
  const widths = to.map(o => Math.max(leastRail, from.share * o.share * 100 * perPercent))
  let edge = from.y + from.h / 2 - widths.reduce((n, w) => n + w, 0) / 2 // the upper edge of the next rail
  return to.map((o, i) => {
    const y = o.y + o.h / 2,
      width = widths[i]!,
      d = curve(from.x + from.w, edge + width / 2, o.x, y)
    edge += width
    return { key: from.key + '>' + o.key, d, width, from: from.key, to: o.key, off: o.off, head: [o.x, y] }
  })
}
