import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Condition, Path } from '../../api.gen.ts'
import { count } from '../../core/format.ts'
import { onResize } from '../../core/resize.ts'
import { t } from '../../core/text.ts'
import { flowWords } from '../../text/flow.ts'
import { isLander, nameOf, neighbour, displayName, unitsOf, type Flow, type Unit } from './edit.ts'
import { columnsOf, layout, linesIn, mostWidth, widthIn, type Node } from './geometry.ts'
import { Sentence } from '../../parts/condition.tsx'
import { Icon } from '../../parts/icons.tsx'
import type { Book } from './book.ts'
import { shareText } from './text.ts'

// Lit is the route that the drawing highlights.
export type Lit = { path?: string | null; lander?: string | null; offer?: string | null; url?: string }

// ViewProps are the props of both views of a flow. `flow` has the paths in the order in which they are tried, and `all` has
// them as they are stored. `share` returns the share of the visitors that a path takes, or null while the share is unknown.
export type ViewProps = {
  flow: Flow
  all: Flow
  book: Book
  share: (p: Path) => number | null
  total: number
  lit: Lit
  wrong?: { path?: string; text: string }
  covered: (id: string) => Path | undefined // the path that is tried earlier and takes all visitors of a path
  may: boolean
  edit: (id: string) => void
  move: (id: string, by: 1 | -1) => void
  place: (id: string, at: string) => void
  set: (id: string, change: Partial<Path>) => void
}
const mostLines = 4 // the most lines of conditions that a path shows

// linesOf returns what a path shows of its conditions: the conditions, and saved rules by their name.
const linesOf = (p: Path, book: Book): (Condition | Unit)[] =>
  unitsOf(p, book.rules).flatMap((u): (Condition | Unit)[] => (u.saved ? [u] : u.conditions))

// useWidth returns a reference for the box of the drawing, and the width of the drawing in the box.
function useWidth() {
  const box = useRef<HTMLDivElement>(null),
    [width, setWidth] = useState(mostWidth)
  useLayoutEffect(() => {
    const el = box.current!,
      style = getComputedStyle(el),
      measure = () => setWidth(widthIn(el.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight)))
    measure()
    return onResize(el, measure)
  }, [])
  return { box, width }
}

// Rails draws a flow: the paths in the order in which they are tried, their landing pages and their offers.
export function Rails(p: ViewProps) {
  const { known } = p.book,
    [dragOver, setDragOver] = useState<string | null>(null)
  const { box, width } = useWidth(),
    columns = columnsOf(width)
  const lines = (o: Path) =>
    Math.max(1, Math.min(mostLines, linesOf(o, p.book).length)) +
    (tagsOf(o).length ? 1 : 0) +
    (p.covered(o.id) ? 2 : 0) +
    (o.action === 'nothing' || o.action === 'campaign' ? 1 : 0) +
    (p.wrong?.path === o.id ? linesIn(p.wrong.text, columns.path.w) : 0)
  const drawing = layout(p.flow, known, lines, p.share, width),
    { lit } = p
  const isLit = (n: Node) =>
    lit.path === n.path &&
    (n.kind === 'path' ||
      (n.of?.id !== undefined && (n.of.id === lit.lander || n.of.id === lit.offer)) ||
      (n.kind === 'onward' && !lit.offer && n.of?.url !== undefined && n.of.url === lit.url))
  const hits = new Set(drawing.nodes.filter(isLit).map(n => n.key)),
    litRails = drawing.rails.filter(r => hits.has(r.to) && (r.from === '' || hits.has(r.from)))
  return (
    <div ref={box} class="yardbox" tabIndex={0} role="region" aria-label={flowWords.drawn}>
      <div class="yard" style={`height:${drawing.height}px;width:${width}px`}>
        <svg class="rails" width={width} height={drawing.height} aria-hidden="true">
          {drawing.rails.map(r => (
            <path
              key={r.key}
              class={'rail' + (r.off ? ' off' : '') + (hits.has(r.to) ? ' hit' : '')}
              d={r.d}
              stroke-width={r.off ? undefined : r.width.toFixed(1)}
            />
          ))}
          {litRails.map(r => (
            <path key={'t' + r.key} class="trace" d={r.d} />
          ))}
        </svg>
        {(['path', 'lander', 'offer'] as const).map(name => (
          <span key={name} class="colh" style={`left:${columns[name].x}px;top:4px`}>
            {flowWords.heads[`${name}s`]}
          </span>
        ))}
        <div class="node start" style={`left:0;top:${drawing.start.y}px;width:${drawing.start.w}px;height:${drawing.start.h}px`}>
          <span class="dim">
            <Icon name="person" />
          </span>
          <b>{p.total ? count(p.total) : '—'}</b>
          <div class="sub">{flowWords.visits(p.total)}</div>
        </div>
        {drawing.nodes.map(n => {
          const path = p.flow.find(o => o.id === n.path)!,
            place = `left:${n.x}px;top:${n.y}px;width:${n.w}px;height:${n.h}px`,
            classes = 'node' + (hits.has(n.key) ? ' hit' : '') + (n.off ? ' off' : '')
          if (n.kind !== 'path')
            return (
              <div key={n.key} class={classes} style={place} onClick={() => p.edit(path.id)}>
                <div class="row">
                  <b class="cut" title={nameOf(n.of!, known)}>
                    {displayName(n.of!, known, t.gone)}
                  </b>
                  <span class="share">{shareText(n.share)}</span>
                </div>
                <div class="sub">
                  {isLander(n.of!, known) ? flowWords.lander : n.of!.url ? flowWords.address : flowWords.offer}
                  {n.of!.slot ? ` · ${flowWords.slot(n.of!.slot)}` : ''}
                </div>
              </div>
            )
          return (
            <PathNode
              key={n.key}
              {...p}
              path={path}
              classes={classes + (dragOver === path.id ? ' over' : '') + (p.wrong?.path === path.id ? ' wrong' : '')}
              place={place}
              drag={setDragOver}
              drop={from => p.place(from, path.id)}
              shown={p.share(path)}
            />
          )
        })}
        <svg class="rails above" width={width} height={drawing.height} aria-hidden="true">
          {litRails.map(r => (
            <circle key={r.key} class="train" cx={r.head[0]} cy={r.head[1]} r="5" />
          ))}
        </svg>
      </div>
    </div>
  )
}

// tagsOf returns the settings of a path that differ from the usual ones, as short texts.
const tagsOf = (p: Path) =>
  [
    p.weight !== 100 && flowWords.weight(p.weight),
    p.rule_group > 0 && flowWords.group(p.rule_group),
    p.daily_cap && flowWords.cap(p.daily_cap),
    !p.collect_clicks && flowWords.uncounted,
  ].filter(Boolean) as string[]

type NodeProps = Omit<ViewProps, 'place'> & {
  path: Path
  classes: string
  place: string
  shown: number | null
  drag: (id: string | null) => void
  drop: (from: string) => void
}

// PathNode shows a path in the drawing.
function PathNode({ path: p, classes, place, book, edit, move, all, shown, drag, drop, may, wrong, covered }: NodeProps) {
  const lines = linesOf(p, book),
    by = covered(p.id)
  const press = (e: KeyboardEvent) => {
    if (e.altKey && (e.key === 'ArrowUp' || e.key === 'ArrowDown')) {
      e.preventDefault()
      const button = e.currentTarget as HTMLElement
      move(p.id, e.key === 'ArrowUp' ? -1 : 1)
      requestAnimationFrame(() => button.focus())
    }
  }
  return (
    <div
      class={classes}
      style={place}
      data-path={p.id}
      draggable={may}
      onDragStart={e => e.dataTransfer?.setData('text/plain', p.id)}
      onDragOver={e => {
        e.preventDefault()
        drag(p.id)
      }}
      onDragLeave={() => drag(null)}
      onDragEnd={() => drag(null)}
      onDrop={e => {
        e.preventDefault()
        drag(null)
        const from = e.dataTransfer?.getData('text/plain')
        if (from) drop(from)
      }}
      onClick={() => edit(p.id)}>
      <div class="row">
        <span class="dim grip">
          <Icon name="grip" />
        </span>
        <button
          type="button"
          class="opener"
          title={p.name}
          aria-label={flowWords.open(p.name)}
          aria-describedby={wrong?.path === p.id ? 'wrong' + p.id : undefined}
          onClick={e => {
            e.stopPropagation()
            edit(p.id)
          }}
          onKeyDown={press}>
          <b class="cut">{p.name}</b>
        </button>
        <span class={'tag ' + (p.stream_type === 'forced' ? 'warn' : p.stream_type === 'default' ? '' : 'accent')}>
          {p.is_active ? flowWords.types[p.stream_type] : t.lists.states.paused}
        </span>
        <span class="share">{shareText(shown)}</span>
      </div>
      <div class="inner">
        {lines.length === 0 && <span class="cond">{p.stream_type === 'default' ? flowWords.everybodyElse : flowWords.everybody}</span>}
        {lines.slice(0, lines.length > mostLines ? mostLines - 1 : mostLines).map((l, i) =>
          'attribute' in l ? (
            <Sentence key={i} of={l} names={book.known.names} />
          ) : (
            <span key={i} class="cond">
              <em>{flowWords.rule}</em> <b>{l.name}</b>
            </span>
          ),
        )}
        {lines.length > mostLines && (
          <span class="cond">
            <em>{flowWords.moreLines(lines.length - mostLines + 1)}</em>
          </span>
        )}
        {by && <span class="cond warn">{flowWords.covered(by.name)}</span>}
        {p.action === 'nothing' && <span class="cond dim">→ {flowWords.answers(p.response?.status ?? 404)}</span>}
        {p.action === 'campaign' && <span class="cond dim">→ {book.known.names[p.campaign_id ?? ''] ?? flowWords.noCampaign}</span>}
        {tagsOf(p).length > 0 && (
          <span class="cond">
            {tagsOf(p).map(g => (
              <span key={g} class="tag">
                {g}
              </span>
            ))}
          </span>
        )}
      </div>
      {wrong?.path === p.id && (
        <div class="bad fine" id={'wrong' + p.id} role="alert">
          {wrong.text}
        </div>
      )}
      {may && <span class="hidden">{neighbour(all, p.id, -1) || neighbour(all, p.id, 1) ? flowWords.canMove : ''}</span>}
    </div>
  )
}
